"""Whether lengths fit each other: segments, intervals, warm-up and films."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from phylon.spec.evolving import Evolving
from phylon.spec.problems import Problem
from phylon.spec.registered import describe_algorithm
from phylon.spec.segments import segment_steps

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def problem(path: str, value: Any, message: str, remedy: str) -> Problem:
    return Problem(path=path, value=value, message=message, remedy=remedy)


def intervals_are_whole_segments(spec: "ExperimentSpec") -> Iterator[Problem]:
    segment = segment_steps(spec)
    is_rollout = spec.algorithm.learns_from == "rollout"
    origin = "algorithm.rollout_steps x environment.envs_per_member" if is_rollout else "execution.segment_steps"
    steps = {
        "budget.env_steps": spec.budget.env_steps,
        "evaluation.interval": spec.evaluation.interval,
        "metrics.interval": spec.metrics.interval,
        "checkpoint.interval": spec.checkpoint.interval,
    }
    if spec.replay is not None:
        steps["replay.warmup"] = spec.replay.warmup
    method = spec.population.method
    if isinstance(method, Evolving) and method.unit == "steps":
        steps["population.method.interval"] = method.interval
    for path, value in steps.items():
        if value % segment:
            yield problem(
                path,
                value,
                f"not a multiple of {origin} ({segment})",
                f"use {max(segment, round(value / segment) * segment)}, or change {origin}",
            )


def segment_holds_whole_steps_and_updates(spec: "ExperimentSpec") -> Iterator[Problem]:
    if spec.replay is None:
        return
    segment = segment_steps(spec)
    if segment % spec.environment.envs_per_member:
        yield problem(
            "environment.envs_per_member",
            spec.environment.envs_per_member,
            f"does not divide execution.segment_steps ({segment})",
            "make segment_steps a multiple of it",
        )
    updates = segment * spec.replay.ratio
    if abs(updates - round(updates)) > 1e-9 or round(updates) < 1:
        yield problem(
            "replay.ratio",
            spec.replay.ratio,
            f"gives {updates:g} updates for a segment of {segment} steps, which is not a whole number",
            "choose ratio and execution.segment_steps so that their product is a whole number of at least 1",
        )


def rollouts_are_whole_minibatches(spec: "ExperimentSpec") -> Iterator[Problem]:
    transitions, minibatches = segment_steps(spec), getattr(spec.algorithm, "minibatches", 1)
    if transitions % minibatches:
        yield problem(
            "algorithm.minibatches",
            minibatches,
            f"does not divide the {transitions} transitions of a rollout",
            "make rollout_steps x envs_per_member a multiple of it",
        )


def selection_follows_evaluation(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Selection ranks by an evaluation of the very weights that it copies, never by an older one."""
    method = spec.population.method
    if (
        not isinstance(method, Evolving) or method.unit == "updates"
    ):  # after so many updates members are evaluated again
        return
    interval, evaluation = method.interval, spec.evaluation.interval
    if interval % evaluation:
        yield problem(
            "population.method.interval",
            interval,
            f"not a multiple of evaluation.interval ({evaluation}), so selection would rank by stale fitness",
            f"use {max(evaluation, round(interval / evaluation) * evaluation)}, or change evaluation.interval",
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


def videos_follow_evaluation(spec: "ExperimentSpec") -> Iterator[Problem]:
    """What is filmed is an episode that members were just judged by."""
    if spec.videos is None:
        return
    interval, evaluation = spec.videos.interval, spec.evaluation.interval
    if interval % evaluation:
        yield problem(
            "videos.interval",
            interval,
            f"not a multiple of evaluation.interval ({evaluation}), and films are made at evaluations",
            f"use {max(evaluation, round(interval / evaluation) * evaluation)}, or change evaluation.interval",
        )


TIMING_CHECKS = (
    intervals_are_whole_segments,
    segment_holds_whole_steps_and_updates,
    rollouts_are_whole_minibatches,
    selection_follows_evaluation,
    warmup_fits,
    videos_follow_evaluation,
)
