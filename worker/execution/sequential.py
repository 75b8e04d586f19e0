"""One member after the other, by one compiled program that takes the slot as an argument. All cores work on one member.

The stacked population is donated to each call and written in place, so nothing is unstacked or stacked again.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams, Transition
from phylon.worker.execution.compilation import compile_options
from phylon.worker.execution.interface import Device, KeyWords, Population, Report, Strategy, Workload
from phylon.worker.execution.members import member_at, member_updates, put_member, take_members, update_one_by_one


def sequential(work: Workload, device: Device) -> Strategy:
    program = sequential_program(work, device)
    stack = jax.jit(lambda reports: jax.tree.map(lambda *values: jnp.stack(values), *reports))

    def update(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: KeyWords, first: int
    ) -> tuple[Population, Report]:
        reports: list[Report] = []
        for slot in range(work.population_size):
            population, report = program(population, hyperparams, batches, key, np.uint32(first), np.uint32(slot))
            reports.append(report)
        return population, stack(reports)

    return Strategy(
        devices=(device,),
        place=lambda tree: jax.device_put(tree, device),
        update=update,
        gather=jax.jit(take_members),
        learn=partial(update_one_by_one, member_updates(work.algorithm)),
    )


def sequential_program(work: Workload, device: Device) -> Any:
    """One member's updates, written back to its slot."""
    member = member_updates(work.algorithm)

    def run(
        population: Population,
        hyperparams: Hyperparams,
        batches: Transition[Array],
        key: Array,
        first: Array,
        slot: Array,
    ) -> tuple[Population, Report]:
        state, own_hyperparams, own_batches = member_at((population, hyperparams, batches), slot)
        own_key = derive(jax.random.wrap_key_data(key), "update", work.first + slot)
        state, report = member(state, own_hyperparams, own_batches, own_key, first)
        return put_member(population, slot, state), report

    return jax.jit(run, donate_argnums=0, compiler_options=compile_options(device))
