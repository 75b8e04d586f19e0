"""Checks that need more than one field. Each yields problems that name the field to change."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from phylon.catalogue import closest, find
from phylon.spec.algorithms import SACSpec, tuned
from phylon.spec.population import donors, replaced_members
from phylon.spec.problems import Problem, showable

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def cross_field_problems(spec: "ExperimentSpec") -> list[Problem]:
    return [problem for check in CHECKS for problem in check(spec)]


def _problem(path: str, value: Any, message: str, remedy: str) -> Problem:
    return Problem(path=path, value=value, message=message, remedy=remedy)


def environment_is_known(spec: "ExperimentSpec") -> Iterator[Problem]:
    environment = spec.environment
    if find(environment.suite, environment.id) is None:
        names = closest(environment.suite, environment.id)
        remedy = (
            f"did you mean {' or '.join(names)}?" if names else f"see `phylon environments --suite {environment.suite}`"
        )
        if ":" in environment.id:
            remedy = "module-qualified ids run code of that module and are refused; use an id of the catalogue"
        yield _problem("environment.id", environment.id, f"unknown environment in suite '{environment.suite}'", remedy)


def algorithm_fits_environment(spec: "ExperimentSpec") -> Iterator[Problem]:
    entry = find(spec.environment.suite, spec.environment.id)
    if entry is None:
        return
    if entry.action.kind != "box":
        yield _problem(
            "algorithm.name",
            spec.algorithm.name,
            f"{spec.algorithm.name} needs continuous actions, but {entry.id} has {entry.action.describe()}",
            "choose an environment with continuous actions",
        )
    if entry.observation.kind != "box" or len(entry.observation.shape) != 1:
        yield _problem(
            "environment.id",
            entry.id,
            f"{spec.algorithm.name} needs a vector to observe, but {entry.id} has {entry.observation.describe()}",
            "choose an environment whose observation is one vector",
        )


def truncation_replaces_someone(spec: "ExperimentSpec") -> Iterator[Problem]:
    size, selection = spec.population.size, spec.population.method.selection
    replaced = replaced_members(size, selection)
    if replaced < 1:
        larger = f"use a population of at least {math.ceil(1 / selection.bottom - 1e-9)}"
        yield _problem(
            "population.method.selection.bottom",
            selection.bottom,
            f"truncation would replace no member: {selection.bottom} of {size} is less than one",
            f"{larger}, or a bottom share of at least {math.ceil(1000 / size) / 1000}" if size > 1 else larger,
        )
    elif replaced + donors(size, selection) > size:
        yield _problem(
            "population.method.selection.top",
            selection.top,
            "the replaced and the copied members overlap",
            "keep bottom + top at most 1",
        )


def something_is_tuned(spec: "ExperimentSpec") -> Iterator[Problem]:
    if not tuned(spec.algorithm):
        yield _problem(
            "algorithm",
            spec.algorithm.name,
            "pbt has nothing to tune: every hyper-parameter is a fixed number",
            "give at least one a distribution, e.g. policy_learning_rate: {log_uniform: [3.0e-5, 3.0e-3]}",
        )


def tuned_numbers_are_read(spec: "ExperimentSpec") -> Iterator[Problem]:
    """A number that structure switches off must not look as if a method could tune it."""
    unread = spec.algorithm.unread() if isinstance(spec.algorithm, SACSpec) else ()
    for name, distribution in tuned(spec.algorithm).items():
        if name in unread:
            yield _problem(
                f"algorithm.{name}",
                showable(distribution.model_dump(mode="json")),
                "nothing reads it where the temperature is fixed",
                "leave it out, write a number, or write temperature: adaptive",
            )


def intervals_are_whole_segments(spec: "ExperimentSpec") -> Iterator[Problem]:
    segment = spec.execution.segment_steps
    steps = {
        "replay.warmup": spec.replay.warmup,
        "budget.env_steps": spec.budget.env_steps,
        "evaluation.interval": spec.evaluation.interval,
        "metrics.interval": spec.metrics.interval,
        "checkpoint.interval": spec.checkpoint.interval,
        "population.method.interval": spec.population.method.interval,
    }
    for path, value in steps.items():
        if value % segment:
            yield _problem(
                path,
                value,
                f"not a multiple of execution.segment_steps ({segment})",
                f"use {max(segment, round(value / segment) * segment)}, or change execution.segment_steps",
            )
    if segment % spec.environment.envs_per_member:
        yield _problem(
            "environment.envs_per_member",
            spec.environment.envs_per_member,
            f"does not divide execution.segment_steps ({segment})",
            "make segment_steps a multiple of it",
        )
    updates = segment * spec.replay.ratio
    if abs(updates - round(updates)) > 1e-9 or round(updates) < 1:
        yield _problem(
            "replay.ratio",
            spec.replay.ratio,
            f"gives {updates:g} updates for a segment of {segment} steps, which is not a whole number",
            "choose ratio and execution.segment_steps so that their product is a whole number of at least 1",
        )


def selection_follows_evaluation(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Selection ranks by an evaluation of the very weights that it copies, never by an older one."""
    interval, evaluation = spec.population.method.interval, spec.evaluation.interval
    if interval % evaluation:
        yield _problem(
            "population.method.interval",
            interval,
            f"not a multiple of evaluation.interval ({evaluation}), so selection would rank by stale fitness",
            f"use {max(evaluation, round(interval / evaluation) * evaluation)}, or change evaluation.interval",
        )


def warmup_fits(spec: "ExperimentSpec") -> Iterator[Problem]:
    warmup, budget = spec.replay.warmup, spec.budget.env_steps
    if warmup >= budget:
        yield _problem(
            "replay.warmup",
            warmup,
            f"the whole budget of {budget} steps would be random actions",
            "make warmup smaller than budget.env_steps",
        )
    if spec.replay.capacity < spec.algorithm.batch_size:
        yield _problem(
            "replay.capacity",
            spec.replay.capacity,
            f"holds less than one batch of {spec.algorithm.batch_size}",
            "raise replay.capacity or lower algorithm.batch_size",
        )


CHECKS: tuple[Callable[["ExperimentSpec"], Iterator[Problem]], ...] = (
    environment_is_known,
    algorithm_fits_environment,
    truncation_replaces_someone,
    something_is_tuned,
    tuned_numbers_are_read,
    intervals_are_whole_segments,
    selection_follows_evaluation,
    warmup_fits,
)
