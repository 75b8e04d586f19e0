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

from phylon.worker.core.types import Array, Hyperparams, Transition
from phylon.worker.execution.compilation import compile_options
from phylon.worker.execution.interface import Device, KeyWords, LearnFn, Population, Report, Strategy, Workload
from phylon.worker.execution.members import learning_keys, member_updates, take_members


def vectorized(work: Workload, device: Device, chunk: int | None = None) -> Strategy:
    chunks, at_once = divide(work.population_size, chunk)
    program = vectorized_program(work, device, chunk)

    def update(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: KeyWords, first: int
    ) -> tuple[Population, Report]:
        return program(population, hyperparams, batches, key, np.uint32(first))

    return Strategy(
        devices=(device,),
        place=lambda tree: jax.device_put(tree, device),
        update=update,
        gather=jax.jit(take_members),
        learn=learn_in_chunks(work, chunk),
        detail=f"in chunks of {at_once}" if chunks > 1 else "",
    )


def divide(size: int, chunk: int | None) -> tuple[int, int]:
    """How many chunks, and the members of one.

    As equal as possible: less memory, and often no remainder, whose program would have to be compiled too.
    """
    chunks = -(-size // min(chunk or size, size))
    return chunks, -(-size // chunks)


def vectorized_program(work: Workload, device: Device, chunk: int | None = None) -> Any:
    learn = learn_in_chunks(work, chunk)

    def run(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: Array, first: Array
    ) -> tuple[Population, Report]:
        keys = learning_keys(work, key)
        firsts = jnp.full(work.population_size, first)
        return learn(population, hyperparams, batches, keys, firsts)

    return jax.jit(run, donate_argnums=0, compiler_options=compile_options(device))


def learn_in_chunks(work: Workload, chunk: int | None) -> LearnFn:
    member, (chunks, at_once) = member_updates(work.algorithm), divide(work.population_size, chunk)
    if chunks == 1:
        return jax.vmap(member)
    return lambda *arguments: jax.lax.map(lambda one: member(*one), arguments, batch_size=at_once)
