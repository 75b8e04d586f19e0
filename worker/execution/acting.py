"""Acting for a whole population, cheaply: it happens at every environment step, so the cost of a call counts.

All strategies act alike. What acting reads of a population (the policies, not the critics and optimisers) is moved to
one device once per segment; a call then takes few arguments and needs no communication between devices. The keys of a
segment are derived in one call, because deriving them at every step would cost more than a small policy does.
"""

import functools
from collections.abc import Callable
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams, Joint, Key, State
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


def make_acting(work: Workload, shape: Population, device: Device, here: range | None = None) -> Acting:
    """`shape`: shapes and types of the population's leaves; `device`: where calls from the host run; `here`: those of
    the population that act in this process, if not all."""

    def explore(state: State, hyperparams: Hyperparams, obs: Array, key: Array) -> Array:
        return _finite(work.algorithm.act(state, hyperparams, obs, jax.random.wrap_key_data(key), True))

    def exploit(state: State, hyperparams: Hyperparams, obs: Array, key: Array) -> Array:
        return _finite(act_for_evaluation(work, state, hyperparams, obs, jax.random.wrap_key_data(key)))

    members = (own_parts(shape), work.hyperparams_shape())
    structure = jax.tree.structure(members)
    one = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), members)
    obs = jax.ShapeDtypeStruct((1, *work.info.observation_shape), work.info.observation_dtype)
    key = jax.ShapeDtypeStruct((2,), jnp.uint32)
    is_read = np.array(find_leaves_read(explore, one, obs, key)) | find_leaves_read(exploit, one, obs, key)

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
    explore_all, exploit_with_keys = take_policies(map_members(explore)), take_policies(map_members(exploit))

    def exploit_all(policies: Policies, obs: Array, keys: Array, step: Array) -> Array:
        return exploit_with_keys(policies, obs, _fold_step_in(keys, step))

    run_explore, run_exploit = (
        jax.jit(run, compiler_options=compile_options(device)) for run in (explore_all, exploit_all)
    )

    def make_actor(population: Population, hyperparams: Hyperparams) -> Actor:
        policies = read_policies(population, hyperparams)
        if here is not None and len(here) < work.population_size:
            policies = [leaf[here.start : here.stop] for leaf in policies]

        @functools.cache  # moved when first needed: never, where environments are compiled too
        def policies_on_device() -> Policies:
            return jax.device_put(policies, device)

        def explore_from_host(obs: FloatArray, keys: KeyWords) -> FloatArray:
            return np.asarray(run_explore(policies_on_device(), obs, keys))

        def exploit_from_host(obs: FloatArray, keys: KeyWords, step: int) -> FloatArray:
            return np.asarray(run_exploit(policies_on_device(), obs, keys, np.uint32(step)))

        return Actor(policies, explore_from_host, exploit_from_host)

    return Acting(
        make_actor,
        _make_exploration_keys(here or range(work.first, work.first + work.population_size)),
        explore_all,
        exploit_all,
    )


def act_for_evaluation(work: Workload, state: State, hyperparams: Hyperparams, obs: Array, key: Key) -> Array:
    """Of one member, for observations [episodes, ...]; see `EvaluationPolicy`."""
    policy = work.evaluation
    if policy.epsilon == 0:
        return work.algorithm.act(state, hyperparams, obs, key, policy.is_sampled)
    own_key, replace_key, random_key = jax.random.split(key, 3)
    action = work.algorithm.act(state, hyperparams, obs, own_key, policy.is_sampled)
    is_replaced = jax.random.uniform(replace_key, action.shape) < policy.epsilon
    anything = jax.random.randint(random_key, action.shape, 0, work.info.action_size, action.dtype)
    return jnp.where(is_replaced, anything, action)


def _fold_step_in(keys: Array, step: Array) -> Array:
    """Keys [members, 2] of an evaluation -> those of one step of its episodes."""

    def fold(words: Array) -> Array:
        return jax.random.key_data(derive(jax.random.wrap_key_data(words), step))

    return jax.vmap(fold)(keys)


def _finite(action: Array) -> Array:
    """Zeros instead of what is no action: weights that are still finite may be so large that a policy overflows.

    Simulators and a replay that members share must not see it; the next updates find the member diverged.
    """
    return jnp.where(jnp.isfinite(action), action, jnp.zeros_like(action))


def own_parts(population: Population) -> State:
    """What is each member's own, [P, ...]: all of a plain population, and the `members` of a joint one."""
    return population.members if isinstance(population, Joint) else population


def _choose_member_map(work: Workload) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """All members as a batch; on a CPU, members that see images one after the other.

    The convolutions of a batch of members are one grouped convolution, for which XLA has no fast code on a CPU: it
    takes ten times as long.
    """
    if len(work.info.observation_shape) != 3:
        return jax.vmap

    def map_members(act: Callable[..., Array]) -> Callable[..., Array]:
        def one_by_one(*arguments: Any) -> Array:
            return jax.lax.map(lambda own: act(*own), arguments)

        def run(*arguments: Any) -> Array:
            return cast(Array, jax.lax.platform_dependent(*arguments, cpu=one_by_one, default=jax.vmap(act)))

        return run

    return map_members


def _make_exploration_keys(members: range) -> Callable[[KeyWords, int, int], KeyWords]:
    def derive_keys(key: Array, segment: Array, count: int) -> Array:
        calls = member_keys(derive(jax.random.wrap_key_data(key), "explore", segment), count)
        return jax.random.key_data(jax.vmap(lambda call: member_keys(call, len(members), members.start))(calls))

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
