"""Every program that a run may hand to its devices, with the shapes it is given, so that tests and benchmarks can lower
them without running anything.

Updates are listed in the form of every strategy, whichever the run uses, as GPUs would run them: what only a CPU does
is left out where a program is lowered for another platform.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from phylon.spec import segment_steps
from phylon.worker.algorithms.joint import build_joint_algorithm
from phylon.worker.algorithms.normalisation import STATISTICS
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.execution import members, members_init_program
from phylon.worker.execution.acting import own_parts
from phylon.worker.execution.compilation import MEMBER_AXIS, Shares
from phylon.worker.execution.joint import joint_init_program, joint_program
from phylon.worker.execution.member_process import parallel_program
from phylon.worker.execution.sequential import sequential_program
from phylon.worker.execution.sharded import sharded_gather_program, sharded_program
from phylon.worker.execution.vectorized import vectorized_program
from phylon.worker.population import PopulationScores
from phylon.worker.training.assembly import Parts
from phylon.worker.training.attempt import make_programs
from phylon.worker.training.collect_on_device import DeviceCollector
from phylon.worker.training.evaluate_on_device import DeviceEvaluator
from phylon.worker.training.experience import make_experience
from phylon.worker.training.replay_on_device import DeviceReplay

CARDS = 2
"""That members are shared out to."""
KEY, NUMBER = jax.ShapeDtypeStruct((2,), jnp.uint32), jax.ShapeDtypeStruct((), jnp.uint32)


class Program(NamedTuple):
    name: str
    function: Any
    """From `jax.jit`."""
    arguments: tuple[Any, ...]
    """Shapes, and where arrays are split how."""
    uses_up: tuple[int, ...] = ()
    """Positions of the arguments whose memory becomes that of the result."""
    shares: Shares | None = None
    """How members are shared out, where there may be several devices."""


@dataclass
class Card:
    """Stands for a device that is not there."""

    platform: str = "gpu"
    device_kind: str = "any"


def list_programs(parts: Parts) -> list[Program]:
    return [*_updates(parts), *_acting(parts), *_between_segments(parts), *_environments(parts)]


def _updates(parts: Parts) -> Iterator[Program]:
    work = parts.work
    population, numbers, card = parts.execution.shape, work.hyperparams_shape(), Card()
    batches = shapes(make_experience(parts.spec, work.info, parts.seed, parts.learners).example())
    given = (population, numbers, batches, KEY, NUMBER)
    if algorithm := build_joint_algorithm(parts.spec, work.info):
        yield Program("init", joint_init_program(work, algorithm), (KEY, numbers))
        yield Program("update, joint", joint_program(work, algorithm, card), given, uses_up=(0,))
        return
    yield Program("init", members_init_program(work), (KEY, numbers))
    one = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), given[:3])
    alone = parallel_program(work.algorithm, card)
    yield Program("update, sequential", sequential_program(work, card), (*given, NUMBER), uses_up=(0,))
    yield Program("update, parallel", alone, (*one, KEY, NUMBER, NUMBER))
    at_once = vectorized_program(work, card, parts.spec.execution.chunk)
    yield Program("update, vectorized", at_once, given, uses_up=(0,))
    yield from _sharded(parts, batches, Shares.of(work.population_size, CARDS))


def _sharded(parts: Parts, batches: Any, shares: Shares) -> Iterator[Program]:
    if shares.devices == 1:
        return
    work, card = parts.work, Card()
    mesh = AbstractMesh((shares.devices,), (MEMBER_AXIS,))
    whole, split = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec(MEMBER_AXIS))
    home = split if shares.are_even else whole
    population, numbers = (shapes(tree, home) for tree in (parts.execution.shape, work.hyperparams_shape()))
    filled = _leading(shares.devices * shares.each, batches)
    given = (population, numbers, shapes(filled, split), shapes(KEY, whole), shapes(NUMBER, whole))
    yield Program("update, sharded", sharded_program(work, mesh, card), given, uses_up=(0,), shares=shares)
    parents = jax.ShapeDtypeStruct((work.population_size,), jnp.int32, sharding=home)
    yield Program("gather, sharded", sharded_gather_program(work, mesh), (population, parents), shares=shares)


def _acting(parts: Parts) -> Iterator[Program]:
    acting, info, size = parts.execution.acting, parts.work.info, parts.work.population_size
    policies = _policies(parts)
    obs = _observations(info, size, info.envs_per_member)
    keys = jax.ShapeDtypeStruct((size, 2), jnp.uint32)
    yield Program("explore", jax.jit(acting.explore), (policies, obs, keys))
    yield Program("exploit", jax.jit(acting.exploit), (policies, obs, keys, NUMBER))


def _between_segments(parts: Parts) -> Iterator[Program]:
    spec, work, method, size = parts.spec, parts.work, parts.method, parts.work.population_size
    programs, population, numbers = make_programs(parts), shapes(parts.execution.shape), work.hyperparams_shape()
    own = own_parts(population)
    scores = PopulationScores(
        jax.ShapeDtypeStruct((), jnp.int32),
        jax.ShapeDtypeStruct((size,), jnp.float32),
        jax.ShapeDtypeStruct((size, spec.evaluation.episodes), jnp.float32),
        jax.ShapeDtypeStruct((size,), jnp.bool_),
    )
    remembered = jax.eval_shape(method.init, jax.random.key(0), numbers)
    yield Program("evolve", programs.plan_evolution, (KEY, remembered, numbers, scores))
    yield Program("gather", jax.jit(members.take_members), (own, jax.ShapeDtypeStruct((size,), jnp.int32)))
    yield Program("copy", programs.copy_population, (population,))
    yield Program("checksum", jax.jit(jax.vmap(members.member_checksum)), (own,))
    yield Program("find finite", jax.jit(jax.vmap(members.is_member_finite)), (own,))
    if STATISTICS in work.algorithm.layout.statistics:
        shares = Shares(len(parts.execution.devices), size)
        calls = segment_steps(spec) // work.info.envs_per_member
        obs = _observations(work.info, size, calls, work.info.envs_per_member)
        yield Program("take in", programs.take_in, (getattr(own, STATISTICS), obs), shares=shares)
    if method.search:
        search, bred = jax.eval_shape(method.search.begin, jax.random.key(0), population)
        yield Program("breed", programs.breed, (KEY, search, bred, scores))
        yield Program("centre", programs.centre, (search, bred))
        yield Program("deviation", programs.weight_deviation, (search,))
    if spec.resets:
        yield Program("reset", programs.reset_members, (KEY, NUMBER, numbers, population))
    evolution, _ = jax.eval_shape(programs.plan_evolution, KEY, remembered, numbers, scores)
    if evolution.renewal is not None:
        yield Program("renew", programs.renew_members, (KEY, NUMBER, numbers, population, evolution.renewal))


def _environments(parts: Parts) -> Iterator[Program]:
    collector, evaluator, work, size = parts.collector, parts.evaluator, parts.work, parts.work.population_size
    keys = jax.ShapeDtypeStruct((size, 2), jnp.uint32)
    policies = _policies(parts)
    shares = Shares(len(parts.execution.devices), size)
    if isinstance(collector, DeviceCollector):
        envs = work.info.envs_per_member
        seeds = jax.ShapeDtypeStruct((size * envs,), jnp.uint32)
        of_calls = jax.ShapeDtypeStruct((size, segment_steps(parts.spec) // envs, 2), jnp.uint32)
        yield Program("start", collector.start, (seeds,), shares=shares)
        begun = jax.eval_shape(collector.start, seeds)
        yield Program("collect", collector.program, (policies, of_calls, *begun), (2, 3), shares)
        if parts.segment is not None and isinstance(parts.experience, DeviceReplay):
            given = shapes(parts.segment.prepare(0, segment_steps(parts.spec) // envs))
            arguments = (parts.execution.shape, work.hyperparams_shape(), *begun, shapes(parts.experience.rings), given)
            yield Program("segment", parts.segment.program, arguments, (0, 2, 3, 4), shares)
    if isinstance(evaluator, DeviceEvaluator):
        seeds = jax.ShapeDtypeStruct((size * parts.spec.evaluation.episodes,), jnp.uint32)
        yield Program("evaluate", evaluator.program, (policies, seeds, keys), shares=shares)


def _policies(parts: Parts) -> Any:
    numbers: Any = parts.work.hyperparams_shape()
    return parts.execution.acting.actor(parts.execution.shape, numbers).policies


def _leading(rows: int, tree: Any) -> Any:
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct((rows, *leaf.shape[1:]), leaf.dtype), tree)


def shapes(tree: Any, sharding: NamedSharding | None = None) -> Any:
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding), tree)


def _observations(info: EnvironmentInfo, *lead: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct((*lead, *info.observation_shape), np.dtype(info.observation_dtype))
