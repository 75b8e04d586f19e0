"""Numbers that training would not read, and lengths that leave it nothing to learn from."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phylon.registry.descriptions import Refusal
from phylon.spec.algorithms import tuned
from phylon.spec.algorithms.n_step import n_step_of
from phylon.spec.problems import Problem, problem, showable
from phylon.spec.registered import describe_algorithm, describe_method
from phylon.spec.segments import segment_steps
from phylon.spec.when_read import moved_hyperparameters, when_read

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def tuned_numbers_are_read(spec: "ExperimentSpec") -> Iterator[Problem]:
    """A number that nothing reads any more must not look as if a method could tune it.

    These are early answers from descriptions; the trainer finds out from its programs (`phylon.worker.training.reads`).
    """
    unread, names = describe_algorithm(spec.algorithm).unread(spec.algorithm), tuned(spec.algorithm)
    for name, distribution in names.items():
        if name in unread:
            value = showable(distribution.model_dump(mode="json"))
            yield problem(f"algorithm.{name}", value, unread[name].message, unread[name].remedy)
    for name in sorted(moved_hyperparameters(spec) - unread.keys()):
        if when_read(spec, name) == "birth":
            path = f"algorithm.{name}" if name in names else "population.method.schedule"
            value = showable(spec.algorithm.model_dump(mode="json")[name]) if name in names else name
            yield problem(path, value, *refuse_moving(spec.population.method.name))


def refuse_moving(method: str) -> Refusal:
    """Why a hyper-parameter that is read at birth alone is not tuned by this method."""
    return Refusal(
        f"only a new member reads it, so what {method} changes it to would have no effect",
        "write a number, or use random_search, whose members keep what they drew",
    )


def rollouts_stand_alone(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Fields that an algorithm without a replay would ignore are refused."""
    algorithm = spec.algorithm
    if algorithm.learns_from == "replay":
        return
    if spec.replay is not None:
        remedy = "leave it out; algorithm.rollout_steps says how much is gathered for each update"
        yield problem("replay", spec.replay.model_dump(), f"{algorithm.name} keeps no replay", remedy)
    if spec.execution.segment_steps is not None:
        yield problem(
            "execution.segment_steps",
            spec.execution.segment_steps,
            f"a segment of {algorithm.name} is one rollout",
            "leave it out, and set algorithm.rollout_steps",
        )
    if spec.execution.overlap:
        yield problem(
            "execution.overlap",
            True,
            f"{algorithm.name} learns from what its present policy does, so it cannot learn while that goes on",
            "leave it out, or use an algorithm with a replay",
        )


def resets_have_parts(spec: "ExperimentSpec") -> Iterator[Problem]:
    if spec.resets is None:
        return
    known = tuple(describe_algorithm(spec.algorithm).state(spec.algorithm).parts)
    if not known:
        yield problem(
            "resets", showable(spec.resets.model_dump()), f"{spec.algorithm.name} cannot be reset", "leave it out"
        )
    for part in spec.resets.parts or ():
        if known and part not in known:
            yield problem(
                "resets.parts", part, f"{spec.algorithm.name} has no part '{part}'", f"use some of {', '.join(known)}"
            )


def execution_settings_are_read(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Numbers of `execution` that only one strategy reads are refused elsewhere rather than ignored."""
    execution, method = spec.execution, describe_method(spec.population.method)
    if execution.chunk is not None and method.joint is not None:
        yield problem(
            "execution.chunk",
            execution.chunk,
            f"members of {method.name} share a critic, so all of them learn at the same time",
            "leave it out",
        )
    elif execution.chunk is not None and execution.strategy != "vectorized":
        yield problem(
            "execution.chunk",
            execution.chunk,
            f"only vectorized members learn in chunks, and execution.strategy is {execution.strategy}",
            "write strategy: vectorized, or leave it out",
        )
    if execution.processes is not None and execution.strategy != "parallel":
        yield problem(
            "execution.processes",
            execution.processes,
            f"only parallel members learn in several processes, and execution.strategy is {execution.strategy}",
            "write strategy: parallel, or leave it out",
        )


def warmup_fits(spec: "ExperimentSpec") -> Iterator[Problem]:
    if spec.replay is None or spec.algorithm.learns_from == "rollout":
        return
    warmup, budget = spec.replay.warmup, spec.budget.env_steps
    if warmup >= budget:
        yield problem(
            "replay.warmup",
            warmup,
            f"the whole budget of {budget} steps would be random actions",
            "make warmup smaller than budget.env_steps",
        )
    rows = describe_algorithm(spec.algorithm).memory.batch_rows(spec.algorithm, segment_steps(spec))
    if spec.replay.capacity < rows:
        yield problem(
            "replay.capacity",
            spec.replay.capacity,
            f"holds less than one batch of {rows}",
            "raise replay.capacity or lower algorithm.batch_size",
        )
    environments = spec.environment.envs_per_member * (spec.population.size if spec.replay.sharing == "shared" else 1)
    n_step = n_step_of(spec.algorithm)
    if n_step > 1 and spec.replay.capacity < n_step * environments:
        yield problem(
            "algorithm.n_step",
            n_step,
            f"a replay of {spec.replay.capacity} transitions of {environments} environments never holds so many steps",
            f"raise replay.capacity to at least {n_step * environments}, or take fewer steps",
        )
