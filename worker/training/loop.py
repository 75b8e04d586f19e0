"""The training loop: collect a segment → learn from it → run the boundary tasks that are due.

With `execution.overlap` a segment is learned from while the next one is collected by the policies from before; the last
one is learned from at the end. None of that has to be stored: what to learn next follows from the step.

What a run does depends only on its spec, its seed and the segment number, so a run resumed from a scheduled checkpoint
goes on as if it had never been interrupted.
"""

from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Literal, NamedTuple

import jax

from phylon.worker.core.commands import Command
from phylon.worker.core.types import Rollout
from phylon.worker.execution import Population, Report
from phylon.worker.execution.members import find_finite_members
from phylon.worker.gang.gang import compare, gather
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.boundary import go_on_after_end, run_boundary_tasks
from phylon.worker.training.checks import check_hyperparams
from phylon.worker.training.collect import Behaviour, FixedActions, PolicyActions
from phylon.worker.training.divergence import set_diverged_aside, without
from phylon.worker.training.final import finish
from phylon.worker.training.observing import observe
from phylon.worker.training.randomness import random_actions
from phylon.worker.training.replay_on_device import DeviceReplay
from phylon.worker.training.segment_on_device import DeviceSegment
from phylon.worker.training.stopping import check_limits, find_end
from phylon.worker.training.stopwatch import Stopwatch

Outcome = Literal["finished", "stopped", "yielded"]
OUTCOMES: dict[Command, Outcome] = {"stop": "stopped", "yield": "yielded"}


class Updates(NamedTuple):
    """The outcome of a segment's updates."""

    population: Population
    reports: list[Any]
    """The `Report` of each call, in host memory."""


def run_loop(attempt: Attempt) -> Outcome:
    state = attempt.state
    state.end = find_end(attempt)
    if state.had_ended and state.end is None:
        go_on_after_end(attempt)
    with ThreadPoolExecutor(1, "learner") as learner:
        while state.end is None:
            _run_segment(attempt, learner)
            command = attempt.order()
            run_boundary_tasks(attempt, command)
            if command == "yield" and state.end is None:
                return "yielded"
            if command == "stop" and state.end is None:
                attempt.journal.record("stopped", state.step)
                return "stopped"
    # The last checkpoint holds all that follows from: an attempt that is interrupted here does it again.
    command = finish(attempt)
    if command == "stop":
        attempt.journal.record("stopped", state.step)
    return "finished" if command is None else OUTCOMES[command]


def _run_segment(attempt: Attempt, learner: Executor) -> None:
    state, experience, stopwatch = attempt.state, attempt.parts.experience, attempt.stopwatch
    segment, is_warming_up = state.step // attempt.segment_steps, state.step < experience.warmup
    if attempt.parts.segment is not None and not is_warming_up:
        _run_segment_on_device(attempt, attempt.parts.segment, segment)
        return
    is_overlapping = attempt.spec.execution.overlap
    behaviour = _choose_behaviour(attempt, segment, is_warming_up)
    learning: Future[Updates] | None = None
    # What led to an end was learned from there and then.
    if is_overlapping and not state.had_ended and state.step - attempt.segment_steps >= experience.warmup:
        learning = _start_learning(attempt, segment - 1, learner)
    rollout = attempt.parts.collector.collect(behaviour, stopwatch)
    if learning is not None:
        with stopwatch.phase("update"):
            updates = learning.result()
        _commit_updates(attempt, updates)
    with stopwatch.phase("sample"):
        experience.add(_everybodys(attempt, rollout))
    state.step += attempt.segment_steps
    state.had_ended = False
    check_limits(attempt)
    if segment == 0:
        observe(attempt, rollout)
    if not is_warming_up and (attempt.is_end or not is_overlapping):
        _commit_updates(attempt, _learn(attempt, segment, stopwatch))
    if segment > 0:
        observe(attempt, rollout)


def _run_segment_on_device(attempt: Attempt, program: DeviceSegment, segment: int) -> None:
    state, calls = attempt.state, attempt.segment_steps // attempt.spec.environment.envs_per_member
    updates = program.run(segment, calls, state.population, state.placed, attempt.stopwatch)
    state.step += attempt.segment_steps
    state.had_ended = False
    check_limits(attempt)
    _commit_updates(attempt, Updates(*updates))


def _choose_behaviour(attempt: Attempt, segment: int, is_warming_up: bool) -> Behaviour:
    parts, state, envs = attempt.parts, attempt.state, attempt.spec.environment.envs_per_member
    calls = attempt.segment_steps // envs
    if is_warming_up:
        actions = random_actions(parts.seed, segment, (calls, parts.size, envs), parts.work.info)
        return FixedActions(actions[:, parts.members.start : parts.members.stop])
    with attempt.stopwatch.phase("transfer"):
        population = state.population
        if attempt.spec.execution.overlap:  # the original is used up by the updates that run meanwhile
            population = attempt.programs.copy_population(population)
        actor = parts.execution.acting.actor(population, state.placed)
        return PolicyActions(actor, parts.execution.acting.keys(attempt.key, segment, calls))


def _everybodys(attempt: Attempt, rollout: Rollout[Any]) -> Rollout[Any]:
    """What members learn from that share their experience, or learn as one."""
    return gather(attempt.parts.gang, rollout) if attempt.parts.shares_experience else rollout


def _start_learning(attempt: Attempt, segment: int, learner: Executor) -> Future[Updates]:
    """In the learner's thread; until it is done this thread must leave the population alone."""
    if attempt.state.latest_metrics:
        return learner.submit(_learn, attempt, segment, Stopwatch())
    # The first time compiles: in this thread, so that the stopwatch sees it.
    learning = Future[Updates]()
    learning.set_result(_learn(attempt, segment, attempt.stopwatch))
    return learning


def _learn(attempt: Attempt, segment: int, stopwatch: Stopwatch) -> Updates:
    """The updates of a segment, from what was collected until its end; uses the population up.

    A call to an accelerator returns immediately: the next batches are sampled and moved while it works. The call before
    it has ended by then, so there are never the batches of more than two calls.
    """
    parts, state, reports = attempt.parts, attempt.state, list[Report]()
    population, experience = state.population, parts.experience
    for number, batches in enumerate(_device_batches(attempt, segment, stopwatch)):
        first = segment * experience.updates + number * experience.at_once
        with stopwatch.phase("update"):
            population, report = parts.execution.update(population, state.placed, batches, attempt.key, first)
            jax.block_until_ready(reports[-1:])
        reports.append(report)
    with stopwatch.phase("update"):
        return Updates(population, jax.device_get(reports))


def _commit_updates(attempt: Attempt, updates: Updates) -> None:
    """The updated population replaces the old one, if its hyper-parameters were as planned."""
    parts, state = attempt.parts, attempt.state
    state.population = updates.population
    with attempt.stopwatch.phase("update"):
        is_finite = find_finite_members(state.population)
        reports, is_finite = parts.gather_held((updates.reports, is_finite))
    if parts.is_joint:
        compare(parts.gang, "what all members learned as one", reports)
    for report in reports:
        check_hyperparams(state.hyperparams, report.hyperparams)
    set_diverged_aside(attempt, [report.metrics for report in reports], is_finite)
    for report in reports:
        state.latest_metrics = {name: without(state.diverged, values) for name, values in report.metrics.items()}
        state.update_metrics.add(state.latest_metrics)


def _device_batches(attempt: Attempt, segment: int, stopwatch: Stopwatch) -> Iterator[Any]:
    """What each update call of the segment learns from, on the device."""
    experience = attempt.parts.experience
    assert not isinstance(experience, DeviceReplay), "its segments are learned from where they are collected"
    calls = experience.draw(segment)
    for _ in range(experience.updates // experience.at_once):
        with stopwatch.phase("sample"):
            drawn = next(calls)
        with stopwatch.phase("transfer"):
            batches = jax.block_until_ready(attempt.parts.execution.place_batches(drawn))
        yield batches
