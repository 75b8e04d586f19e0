"""A member that diverges is set aside; the run fails only when nobody is left.

found        after a segment's updates: a metric of its updates, or a weight of its own, is not finite
set aside    its weights become zeros, so nothing of it reaches environments, a shared replay or a mean of weights;
             it is stepped on with the others, but what it measures is NaN, so it is the worst and never a donor
revived      by the next exploit that replaces it; with a method that never copies it stays out
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import Joint
from phylon.worker.execution.members import blank_members, is_all_finite
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.checks import TrainingDiverged
from phylon.worker.training.evaluate import Evaluation
from phylon.worker.training.lineage import values_of

Float = TypeVar("Float", bound=np.floating)
Mask = NDArray[np.bool_]
"""[P]"""
UpdateReport = Mapping[str, NDArray[np.float32]]
"""Metrics of one call, [P] each."""

WEIGHTS = "weights"
"""What is reported as the metric where losses are finite and the weights that came of them are not."""
REMEDY = "lower the learning rates (or the upper bounds of their distributions), or the scale of the rewards"


class Divergence(NamedTuple):
    """A member and the first of its numbers that is not finite."""

    member: int
    metric: str
    value: float


def find_divergences(reports: Sequence[UpdateReport], learners: int, is_finite: Mask) -> list[Divergence]:
    """By member. Those beyond the `learners` make no updates and have no metrics. `is_finite`: of all own weights."""
    found: dict[int, Divergence] = {}
    for metrics in reports:
        for name, values in metrics.items():
            for member in np.flatnonzero(~np.isfinite(values[:learners])).tolist():
                found.setdefault(member, Divergence(member, name, float(values[member])))
    for member in np.flatnonzero(~is_finite).tolist():
        found.setdefault(member, Divergence(member, WEIGHTS, math.nan))
    return [found[member] for member in sorted(found)]


def set_diverged_aside(attempt: Attempt, reports: Sequence[UpdateReport], is_finite: Mask) -> None:
    """Raises `TrainingDiverged` when nobody is left. `is_finite`: of all own weights."""
    parts, state = attempt.parts, attempt.state
    found = find_divergences(reports, parts.learners, is_finite)
    fresh = [each for each in found if not state.diverged[each.member]]
    for each in fresh:
        _report(attempt, each)
    if fresh:
        state.diverged = state.diverged | np.isin(np.arange(len(state.diverged)), [each.member for each in fresh])
        state.fitness = without(state.diverged, state.fitness)
        _check_someone_is_left(attempt, fresh[0])
    if state.diverged.any():
        state.population = parts.execution.place(blank_members(state.population, parts.take_held(state.diverged)))


def without(diverged: Mask, values: NDArray[Float]) -> NDArray[Float]:
    """Values [P, ...] of the members, NaN for those that are set aside."""
    kept = values.copy()
    kept[diverged] = np.nan
    return kept


def evaluation_without(diverged: Mask, evaluation: Evaluation) -> Evaluation:
    if not diverged.any():
        return evaluation
    tested = evaluation.test_returns
    return evaluation._replace(
        returns=without(diverged, evaluation.returns),
        lengths=without(diverged, evaluation.lengths.astype(np.float64)),
        test_returns=None if tested is None else without(diverged, tested),
    )


def _report(attempt: Attempt, divergence: Divergence) -> None:
    state, member = attempt.state, divergence.member
    attempt.journal.record(
        "diverged",
        state.step,
        span=state.lineage.span_of(member),
        hyperparams=values_of(member, state.hyperparams),
        **divergence._asdict(),
    )
    print(f"step {state.step:,}: member {member} is set aside: {_describe(attempt, divergence)}", flush=True)


def _describe(attempt: Attempt, divergence: Divergence) -> str:
    own = values_of(divergence.member, attempt.state.hyperparams)
    listed = ", ".join(f"{name} {value:.3g}" for name, value in own.items())
    return f"its {divergence.metric} became {divergence.value} before step {attempt.state.step}, with {listed}"


def _check_someone_is_left(attempt: Attempt, latest: Divergence) -> None:
    state, reason = attempt.state, None
    if isinstance(state.population, Joint):
        if attempt.parts.method.search is None:  # nobody would ever be replaced, and every loss contains all policies
            reason = "members learn as one, so none can be set aside"
        elif not is_all_finite(state.population.shared):
            reason = "the critic that all members share diverged"
    elif state.diverged.all():
        size = len(state.diverged)
        reason = "the only member diverged" if size == 1 else f"nobody is left: all {size} members have diverged"
    if reason is not None:
        raise TrainingDiverged(
            f"{reason}; member {latest.member}: {_describe(attempt, latest)}",
            REMEDY,
            latest.member,
            values_of(latest.member, state.hyperparams),
        )
