"""Members split over all local devices. On a CPU every core is a device (`--xla_force_host_platform_device_count`).

Within a CPU shard members run one by one: a core works without waiting for the others, its caches hold one member at a
time, and TD3's delayed policy step is really skipped. Within a GPU shard they run as a batch.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams, Transition
from phylon.worker.execution.compilation import MEMBER_AXIS, compile_options, map_shards
from phylon.worker.execution.interface import KeyWords, Population, Report, Strategy, Workload
from phylon.worker.execution.members import member_updates, take_members, update_one_by_one


def sharded(work: Workload) -> Strategy:
    available = jax.local_devices()
    devices = tuple(available[: devices_that_divide(work.population_size, len(available))])
    mesh = Mesh(np.array(devices), (MEMBER_AXIS,))
    split = NamedSharding(mesh, PartitionSpec(MEMBER_AXIS))
    member = member_updates(work.algorithm)

    def part(*arguments: Any) -> tuple[Population, Report]:
        if devices[0].platform == "cpu":
            return update_one_by_one(member, *arguments)
        return jax.vmap(member)(*arguments)

    def run(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: Array, first: Array
    ) -> tuple[Population, Report]:
        keys = work.keys(derive(jax.random.wrap_key_data(key), "update"))
        firsts = jnp.full(work.population_size, first)
        return map_shards(mesh, part)(population, hyperparams, batches, keys, firsts)

    program = jax.jit(run, donate_argnums=0, out_shardings=split, compiler_options=compile_options(devices[0]))

    def update(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: KeyWords, first: int
    ) -> tuple[Population, Report]:
        return program(population, hyperparams, batches, key, np.uint32(first))

    def gather_part(population: Population, parents: Array) -> Population:
        # Left to itself the partitioner adds up masked parts, which turns -0.0 into 0.0; here bits only move.
        everyone = jax.tree.map(lambda leaf: jax.lax.all_gather(leaf, MEMBER_AXIS, tiled=True), population)
        return take_members(everyone, parents)

    return Strategy(
        devices=devices,
        place=lambda tree: jax.device_put(tree, split),
        update=update,
        gather=jax.jit(map_shards(mesh, gather_part)),
        detail=f"over {len(devices)} devices" if len(devices) > 1 else "",
    )


def devices_that_divide(population_size: int, available: int) -> int:
    """The largest number of devices that gives each the same number of members."""
    return next(count for count in range(min(population_size, available), 0, -1) if population_size % count == 0)
