"""All members in one program, as a batch: `jit(vmap(scan(update)))` on one device. What a GPU likes best.

Under `vmap` a condition that differs between members computes both branches, so TD3's delayed policy step is never
skipped here.
"""

import jax
import numpy as np

from worker.core.keys import derive, member_keys
from worker.core.types import Array, Hyperparams, Transition
from worker.execution.interface import KeyWords, Population, Report, Strategy, Workload
from worker.execution.members import member_updates, take_members


def vectorized(work: Workload) -> Strategy:
    device = jax.local_devices()[0]
    members = jax.vmap(member_updates(work.algorithm))

    def run(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: Array, segment: Array
    ) -> tuple[Population, Report]:
        keys = member_keys(derive(jax.random.wrap_key_data(key), "update", segment), work.population_size)
        return members(population, hyperparams, batches, keys)

    program = jax.jit(run, donate_argnums=0)

    def update(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: KeyWords, segment: int
    ) -> tuple[Population, Report]:
        return program(population, hyperparams, batches, key, np.uint32(segment))

    return Strategy(
        devices=(device,),
        place=lambda tree: jax.device_put(tree, device),
        update=update,
        gather=jax.jit(take_members),
    )
