"""Members split over all local devices. On a CPU every core is a device (`--xla_force_host_platform_device_count`).

Within a CPU shard members run one by one: a core works without waiting for the others, its caches hold one member at a
time, and TD3's delayed policy step is really skipped. Within a GPU shard they run as a batch.

A population that its devices do not divide lives whole on each of them, because JAX splits an array only evenly. Each
device updates its own members, and what they have become is handed round at the end of a call. The last device fills up
with copies of the last member, which are dropped: nobody outside an update ever sees them.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

from phylon.worker.core.types import Array, Hyperparams, Transition
from phylon.worker.execution.compilation import MEMBER_AXIS, Shares, compile_options, map_shards
from phylon.worker.execution.interface import Device, KeyWords, LearnFn, Population, Report, Strategy, Workload
from phylon.worker.execution.members import learning_keys, member_updates, take_members, update_one_by_one


def sharded(work: Workload, available: Sequence[Device]) -> Strategy:
    shares = Shares.of(work.population_size, len(available))
    devices = tuple(available[: shares.devices])
    mesh = Mesh(np.array(devices), (MEMBER_AXIS,))
    split = NamedSharding(mesh, PartitionSpec(MEMBER_AXIS))
    home = split if shares.are_even else NamedSharding(mesh, PartitionSpec())
    program = sharded_program(work, mesh, devices[0])

    def update(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: KeyWords, first: int
    ) -> tuple[Population, Report]:
        return program(population, hyperparams, batches, key, np.uint32(first))

    def place_batches(tree: Any) -> Any:
        return jax.device_put(tree if shares.are_even else jax.tree.map(shares.fill_up, tree), split)

    return Strategy(
        devices=devices,
        place=lambda tree: jax.device_put(tree, home),
        place_batches=place_batches,
        update=update,
        gather=sharded_gather_program(work, mesh),
        # A larger program would hand round all that it holds, where shares are uneven.
        learn=learn_share(work, devices[0]) if shares.are_even else None,
        detail=f"over {len(devices)} devices" if len(devices) > 1 else "",
    )


def sharded_program(work: Workload, mesh: Mesh | AbstractMesh, device: Device) -> Any:
    """`device`: one of the mesh, or one that is like them."""
    shares, part = Shares(mesh.size, work.population_size), learn_share(work, device)

    def own_part(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], keys: Array, firsts: Array
    ) -> tuple[Population, Report]:
        population, hyperparams, keys, firsts = shares.own((population, hyperparams, keys, firsts))
        return shares.hand_round(part(population, hyperparams, batches, keys, firsts))

    def run(
        population: Population, hyperparams: Hyperparams, batches: Transition[Array], key: Array, first: Array
    ) -> tuple[Population, Report]:
        keys = learning_keys(work, key)
        firsts = jnp.full(work.population_size, first)
        if shares.are_even:
            return map_shards(mesh, part)(population, hyperparams, batches, keys, firsts)
        whole, split = PartitionSpec(), PartitionSpec(MEMBER_AXIS)
        shards = jax.shard_map(
            own_part, mesh=mesh, in_specs=(whole, whole, split, whole, whole), out_specs=whole, check_vma=False
        )
        return shards(population, hyperparams, batches, keys, firsts)

    home = NamedSharding(mesh, PartitionSpec(MEMBER_AXIS) if shares.are_even else PartitionSpec())
    return jax.jit(run, donate_argnums=0, out_shardings=home, compiler_options=compile_options(device))


def learn_share(work: Workload, device: Device) -> LearnFn:
    """What a device does with the members that it has."""
    member = member_updates(work.algorithm)
    return partial(update_one_by_one, member) if device.platform == "cpu" else jax.vmap(member)


def sharded_gather_program(work: Workload, mesh: Mesh | AbstractMesh) -> Any:
    def gather_part(population: Population, parents: Array) -> Population:
        # Left to itself the partitioner adds up masked parts, which turns -0.0 into 0.0; here bits only move.
        everyone = jax.tree.map(lambda leaf: jax.lax.all_gather(leaf, MEMBER_AXIS, tiled=True), population)
        return take_members(everyone, parents)

    if Shares(mesh.size, work.population_size).are_even:
        return jax.jit(map_shards(mesh, gather_part))
    return jax.jit(take_members, out_shardings=NamedSharding(mesh, PartitionSpec()))
