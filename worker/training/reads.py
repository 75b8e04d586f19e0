"""Proof before training: every hyper-parameter that is tuned is read by the programs that will run.

The programs are traced on shapes alone, and the walk goes backwards from what a member does: its actions, exploring or
not → the parts of its state that they depend on → the parts and hyper-parameters that an update makes those of → and so
on, until nothing new is found. What only metrics depend on counts as unread. `find_dependence` says what "depends"
means.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from phylon.registry.descriptions import WhenRead
from phylon.spec import ExperimentSpec, tuned
from phylon.spec.checks.training import refuse_moving
from phylon.spec.when_read import moved_hyperparameters, when_read
from phylon.worker.algorithms.resets import reset
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import (
    Array,
    EnvironmentInfo,
    Hyperparams,
    Joint,
    JointAlgorithm,
    Key,
    State,
    Transition,
)
from phylon.worker.execution import Workload
from phylon.worker.execution.dependence import find_dependence
from phylon.worker.training.experience import batch_shape


class HyperparameterUnread(EngineError):
    """A hyper-parameter that would be tuned without effect."""


Depends = Callable[[list[bool] | None], tuple[set[str], list[bool]]]
"""Which outputs count (None: all) -> the hyper-parameters, and the leaves of state, that they depend on."""


class Traced(NamedTuple):
    """All programs of a run that may read a hyper-parameter."""

    act: tuple[Depends, ...]
    """To explore, and to be evaluated; the output is actions, that of all others a state."""
    update: Depends
    init: Depends
    reset: Depends | None
    leaves: int
    """Of the state."""


def check_reads(spec: ExperimentSpec, work: Workload, joint: JointAlgorithm | None) -> None:
    """Raises for a hyper-parameter that is tuned and not read when its description says."""
    found, method = find_reads(spec, work, joint), spec.population.method.name
    moved = moved_hyperparameters(spec)
    own = set(work.hyperparams) - set(type(spec.algorithm).model_fields)  # numbers of the method
    for name in sorted({*tuned(spec.algorithm), *moved, *own}):
        if name not in found:
            raise HyperparameterUnread(
                f"{name} is tuned, but no program of {spec.algorithm.name} reads it: members would not differ by it",
                f"write a number for algorithm.{name}; or if the algorithm is yours, use it in `update` or `act`",
            )
        if found[name] == "birth" and name in moved:
            message, remedy = refuse_moving(method)
            raise HyperparameterUnread(f"algorithm.{name}: {message}", remedy)
        if name not in own and found[name] != when_read(spec, name):
            raise HyperparameterUnread(
                f"the programs of {spec.algorithm.name} read {name} at {found[name]}, "
                f"not at {when_read(spec, name)} as its description says",
                "correct `read_at_birth` in the description of the algorithm",
            )


def find_reads(spec: ExperimentSpec, work: Workload, joint: JointAlgorithm | None) -> dict[str, WhenRead]:
    """When each hyper-parameter is read, by name; those that nothing reads are left out."""
    traced = _trace_joint(spec, work, joint) if joint else _trace_member(spec, work)
    is_alive, read = [False] * traced.leaves, set[str]()
    for act in traced.act:
        names, leaves = act(None)
        read, is_alive = read | names, _either(is_alive, leaves)
    while True:
        names, leaves = traced.update(is_alive)
        read, before, is_alive = read | names, is_alive, _either(is_alive, leaves)
        if is_alive == before:
            break
    renewed = traced.reset(is_alive)[0] if traced.reset else set[str]()
    born, _ = traced.init(is_alive)
    return {**dict.fromkeys(born, "birth"), **dict.fromkeys(renewed, "reset"), **dict.fromkeys(read, "training")}


def _either(left: list[bool], right: list[bool]) -> list[bool]:
    return [one or other for one, other in zip(left, right, strict=True)]


def _trace_member(spec: ExperimentSpec, work: Workload) -> Traced:
    algorithm, resets, info = work.algorithm, spec.resets, work.info
    numbers = {name: jax.ShapeDtypeStruct((), jnp.float32) for name in work.hyperparams}
    key, state = _keys(), jax.eval_shape(algorithm.init, _keys(), numbers)

    def act(explore: bool, numbers: Hyperparams, state: State, obs: Array, key: Key) -> Array:
        return algorithm.act(state, numbers, obs, key, explore)

    def update(numbers: Hyperparams, state: State, batch: Any, key: Key) -> State:
        return algorithm.update(state, numbers, batch, key)[0]

    def init(numbers: Hyperparams, nothing: tuple[()], key: Key) -> State:
        return algorithm.init(key, numbers)

    def renew(numbers: Hyperparams, state: State, key: Key) -> State:
        assert resets is not None
        return reset(algorithm, resets, key, numbers, state)

    return Traced(
        act=tuple(_trace(partial(act, explore), numbers, state, _observations(info), key) for explore in (True, False)),
        update=_trace(update, numbers, state, batch_shape(spec, info), key),
        init=_trace(init, numbers, (), key),
        reset=_trace(renew, numbers, state, key) if resets else None,
        leaves=len(jax.tree.leaves(state)),
    )


def _trace_joint(spec: ExperimentSpec, work: Workload, joint: JointAlgorithm) -> Traced:
    numbers, size, info = work.hyperparams_shape(), work.population_size, work.info
    population = jax.eval_shape(joint.init, _keys(size), numbers)

    def act(explore: bool, numbers: Hyperparams, population: Joint, obs: Array, keys: Key) -> Array:
        return jax.vmap(partial(work.algorithm.act, explore=explore))(population.members, numbers, obs, keys)

    def update(numbers: Hyperparams, population: Joint, batch: Transition[Array], keys: Key) -> Joint:
        return joint.update(population, numbers, batch, keys)[0]

    def init(numbers: Hyperparams, nothing: tuple[()], keys: Key) -> Joint:
        return joint.init(keys, numbers)

    return Traced(
        act=tuple(
            _trace(partial(act, explore), numbers, population, _observations(info, size), _keys(size))
            for explore in (True, False)
        ),
        update=_trace(update, numbers, population, batch_shape(spec, info, joint.learners), _keys(joint.learners)),
        init=_trace(init, numbers, (), _keys(size)),
        reset=None,
        leaves=len(jax.tree.leaves(population)),
    )


def _trace(function: Callable[..., Any], hyperparams: Mapping[str, Any], state: State, *others: Any) -> Depends:
    program = jax.make_jaxpr(function)(hyperparams, state, *others).jaxpr
    names, leaves = sorted(hyperparams), len(jax.tree.leaves(state))  # a dict is flattened by its sorted keys

    def depend(outputs: list[bool] | None) -> tuple[set[str], list[bool]]:
        inputs = find_dependence(program, [True] * len(program.outvars) if outputs is None else outputs)
        read = {name for name, is_read in zip(names, inputs, strict=False) if is_read}
        return read, inputs[len(names) : len(names) + leaves]

    return depend


def _keys(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jax.eval_shape(jax.random.key, 0).dtype)


def _observations(info: EnvironmentInfo, *lead: int) -> jax.ShapeDtypeStruct:
    """Of one environment."""
    return jax.ShapeDtypeStruct((*lead, 1, *info.observation_shape), jnp.dtype(info.observation_dtype))
