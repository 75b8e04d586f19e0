"""All members in one program, as a batch: `jit(vmap(scan(update)))` on one device. The fastest on a GPU.

With a chunk size, that many members are a batch, and the batches run one after the other: for populations whose
activations do not fit in memory at the same time.

Under `vmap` a condition that differs between members computes both branches, so TD3's delayed policy step is never
skipped here.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams, Transition
from phylon.worker.execution.compilation import compile_options
from phylon.worker.execution.interface import KeyWords, Population, Report, Strategy, Workload
from phylon.worker.execution.members import member_updates, take_members


def vectorized(work: Workload, chunk: int | None = None) -> Strategy:
    device = jax.local_devices()[0]
    member, size = member_updates(work.algorithm), work.population_size
    # As equal as possible: less memory, and often no remainder, whose program would have to be compiled too.
    chunks = -(-size // min(chunk or size, size))
    at_once = -(-size // chunks)

    def members(*arguments: Any) -> tuple[Population, Report]:
        if chunks == 1:
            return jax.vmap(member)(*arguments)
        return jax.lax.map(lambda one: member(*one), arguments, batch_size=at_once)

    def run(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: Array, first: Array
    ) -> tuple[Population, Report]:
        keys = work.keys(derive(jax.random.wrap_key_data(key), "update"))
        firsts = jnp.full(work.population_size, first)
        return members(population, hyperparams, batches, keys, firsts)

    program = jax.jit(run, donate_argnums=0, compiler_options=compile_options(device))

    def update(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: KeyWords, first: int
    ) -> tuple[Population, Report]:
        return program(population, hyperparams, batches, key, np.uint32(first))

    return Strategy(
        devices=(device,),
        place=lambda tree: jax.device_put(tree, device),
        update=update,
        gather=jax.jit(take_members),
        detail=f"in chunks of {at_once}" if chunks > 1 else "",
    )
