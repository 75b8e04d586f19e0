"""Acting for a whole population, cheaply: it happens at every environment step, so the cost of a call counts.

All strategies act alike. What acting reads of a population (the policies, not the critics and optimisers) is moved to
one device once per segment; a call then takes few arguments and needs no communication between devices. The keys of a
segment are derived in one call, because deriving them at every step would cost more than a small policy does.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams, Joint, State
from phylon.worker.execution.compilation import compile_options
from phylon.worker.execution.interface import (
    Acting,
    Actor,
    Device,
    FloatArray,
    KeyWords,
    Policies,
    Population,
    Workload,
)


def make_acting(work: Workload, shape: Population, device: Device) -> Acting:
    """`shape`: shapes and types of the population's leaves; `device`: where calls from the host run."""

    def explore(state: State, hyperparams: Hyperparams, obs: Array, key: Array) -> Array:
        return work.algorithm.act(state, hyperparams, obs, jax.random.wrap_key_data(key), True)

    def exploit(state: State, hyperparams: Hyperparams, obs: Array) -> Array:
        return work.algorithm.act(state, hyperparams, obs, jax.random.key(0), False)  # the key is not read

    members = (own_parts(shape), work.hyperparams_shape())
    structure = jax.tree.structure(members)
    one = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), members)
    obs = jax.ShapeDtypeStruct((1, *work.info.observation_shape), work.info.observation_dtype)
    key = jax.ShapeDtypeStruct((2,), jnp.uint32)
    is_read = np.array(find_leaves_read(explore, one, obs, key)) | find_leaves_read(exploit, one, obs)

    def read_policies(population: Population, hyperparams: Hyperparams) -> Policies:
        leaves = jax.tree.leaves((own_parts(population), hyperparams))
        return [leaf for leaf, is_needed in zip(leaves, is_read, strict=True) if is_needed]

    def take_policies(function: Callable[..., Array]) -> Callable[..., Array]:
        def run(policies: Policies, *inputs: Array) -> Array:
            remaining = iter(policies)
            population, hyperparams = jax.tree.unflatten(structure, [next(remaining) if r else None for r in is_read])
            return function(population, hyperparams, *inputs)

        return run

    map_members = _choose_member_map(work)
    explore_all, exploit_all = take_policies(map_members(explore)), take_policies(map_members(exploit))
    run_explore, run_exploit = (
        jax.jit(run, compiler_options=compile_options(device)) for run in (explore_all, exploit_all)
    )

    def make_actor(population: Population, hyperparams: Hyperparams) -> Actor:
        policies = read_policies(population, hyperparams)

        @functools.cache  # moved when first needed: never, where environments are compiled too
        def policies_on_device() -> Policies:
            return jax.device_put(policies, device)

        def explore_from_host(obs: FloatArray, keys: KeyWords) -> FloatArray:
            return np.asarray(run_explore(policies_on_device(), obs, keys))

        def exploit_from_host(obs: FloatArray) -> FloatArray:
            return np.asarray(run_exploit(policies_on_device(), obs))

        return Actor(policies, explore_from_host, exploit_from_host)

    return Acting(make_actor, _make_exploration_keys(work), explore_all, exploit_all)


def own_parts(population: Population) -> State:
    """What is each member's own, [P, ...]: all of a plain population, and the `members` of a joint one."""
    return population.members if isinstance(population, Joint) else population


def _choose_member_map(work: Workload) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """All members as a batch; on a CPU, members that see images one after the other.

    The convolutions of a batch of members are one grouped convolution, for which XLA has no fast code on a CPU: it
    takes ten times as long.
    """
    sees_images = len(work.info.observation_shape) == 3
    if jax.default_backend() == "cpu" and sees_images:
        return lambda act: lambda *arguments: jax.lax.map(lambda own: act(*own), arguments)
    return jax.vmap


def _make_exploration_keys(work: Workload) -> Callable[[KeyWords, int, int], KeyWords]:
    def derive_keys(key: Array, segment: Array, count: int) -> Array:
        calls = member_keys(derive(jax.random.wrap_key_data(key), "explore", segment), count)
        return jax.random.key_data(jax.vmap(member_keys, in_axes=(0, None))(calls, work.population_size))

    program = jax.jit(derive_keys, static_argnums=2)

    def exploration_keys(key: KeyWords, segment: int, count: int) -> KeyWords:
        return np.asarray(program(key, np.uint32(segment), count))

    return exploration_keys


def find_leaves_read(function: Callable[..., Any], trees: tuple[Any, ...], *inputs: Any) -> list[bool]:
    """For each leaf of `trees`, whether `function(*trees, *inputs)` reads it."""
    program = jax.make_jaxpr(function)(*trees, *inputs).jaxpr
    used = {id(variable) for equation in program.eqns for variable in equation.invars}
    used |= {id(variable) for variable in program.outvars}
    return [id(variable) in used for variable in program.invars[: len(jax.tree.leaves(trees))]]
