"""Updates members on what was collected: samples batches, moves them to the device, updates, checks the reports."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax

from phylon.worker.execution import Population, Report
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.checks import check_hyperparams, check_losses
from phylon.worker.training.stopwatch import Stopwatch


class Updates(NamedTuple):
    """The outcome of a segment's updates."""

    population: Population
    reports: list[Any]
    """The `Report` of each call, in host memory."""


def learn(attempt: Attempt, segment: int, stopwatch: Stopwatch) -> Updates:
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


def commit_updates(attempt: Attempt, updates: Updates) -> None:
    """The updated population replaces the old one, once its losses are finite and its hyper-parameters as planned."""
    state = attempt.state
    state.population = updates.population
    for report in updates.reports:
        of_learners = {name: values[: attempt.parts.learners] for name, values in report.metrics.items()}
        check_losses(of_learners, state.hyperparams, state.step)
        check_hyperparams(state.hyperparams, report.hyperparams)
        state.update_metrics.add(report.metrics)
        state.latest_metrics = report.metrics


def _device_batches(attempt: Attempt, segment: int, stopwatch: Stopwatch) -> Iterator[Any]:
    """What each update call of the segment learns from, on the device."""
    experience = attempt.parts.experience
    calls = experience.draw(segment)
    for _ in range(experience.updates // experience.at_once):
        with stopwatch.phase("sample"):
            drawn = next(calls)
        with stopwatch.phase("transfer"):
            batches = jax.block_until_ready(attempt.parts.execution.place(drawn))
        yield batches
