"""Curves of replicates, and of arms: each replicate's own values on a grid that only its arm decides, so that showing
another arm never moves this one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from phylon.backend.comparisons.scores import is_sample_per_member
from phylon.backend.metrics import history
from phylon.backend.metrics.grid import group_size
from phylon.backend.models import Experiment, Run
from phylon.contract.comparisons import CurveAxis
from phylon.contract.vocabulary import MetricName
from phylon.returns import best_of, median_of
from phylon.statistics import Scores

TICKS = 2000
"""Of a replicate that are read; a longer one keeps ticks that lie evenly, the last among them."""
READ_WHOLE = 100_000
"""Ticks of a run up to which a curve is read tick by tick; of a longer one, means of equal stretches."""
GRID = 200


_HIGHER_IS_BETTER = frozenset(
    name.value
    for name in (
        MetricName.EVALUATION_RETURN,
        MetricName.EVALUATION_FITNESS,
        MetricName.EVALUATION_TEST_RETURN,
        MetricName.FINAL_RETURN,
        MetricName.TRAINING_RETURN,
    )
)

_OF_THE_POPULATION = ("time/", "speed/", "population/")
"""Metrics that have one value for all members."""


class Curve(NamedTuple):
    """A metric of a run."""

    steps: NDArray[np.int64]
    wall: Scores
    values: Scores
    """[ticks, members], or a single column for the population."""


class ReplicateCurve(NamedTuple):
    run: Run
    member: int | None
    steps: NDArray[np.int64]
    wall: Scores
    values: Scores
    """[ticks], all finite."""


def read_curve(session: Session, run_id: int, name: str, points: int) -> Curve:
    """At most `points` places. This and `read_total` are where comparisons touch the history of runs."""
    count = history.count(session, run_id)
    if count > READ_WHOLE:
        group = group_size(count, points)
        buckets = history.read_buckets(session, run_id, name, 0, count, group)
        axis = history.read_axis(session, run_id, 0, count, group)
        places = [axis[number] for number in (buckets.start // group).tolist()]
        steps, wall = np.array([step for step, _ in places]), np.array([wall for _, wall in places])
        return Curve(steps.astype(np.int64), wall.astype(np.float64), buckets.mean.astype(np.float64))
    page = history.read_ticks(session, run_id, name, 0, count)
    ticks = len(page.steps)
    kept = np.arange(ticks) if ticks <= points else np.linspace(0, ticks - 1, points).round().astype(int)
    return Curve(page.steps[kept], page.walls[kept], page.values[kept].astype(np.float64))


def read_total(session: Session, run_id: int, name: str) -> float | None:
    """The sum of a metric over the whole run; None where it has no value. It costs little however long the run is."""
    count = history.count(session, run_id)
    buckets = history.read_buckets(session, run_id, name, 0, count, group_size(count, 2))
    if not buckets.ticks.size:
        return None
    return float(np.nansum(buckets.mean.astype(np.float64) * buckets.numbers))


def replicate_curves(session: Session, experiment: Experiment, name: str) -> list[ReplicateCurve]:
    """Ticks without a number are left out; a run that has none is not there."""
    found: list[ReplicateCurve] = []
    for run in experiment.runs:
        curve = read_curve(session, run.id, name, TICKS)
        for member, values in _columns(curve.values, experiment.method, name):
            kept = np.isfinite(values)
            if kept.any():
                found.append(ReplicateCurve(run, member, curve.steps[kept], curve.wall[kept], values[kept]))
    return found


def _columns(values: Scores, method: str, name: str) -> list[tuple[int | None, Scores]]:
    if values.shape[1] == 1:
        return [(None, values[:, 0])]
    if is_sample_per_member(method):
        return list(enumerate(values.T))
    of_members = best_of if name in _HIGHER_IS_BETTER else median_of
    return [(None, np.array([of_members(tick) for tick in values], np.float64))]


def on_axis(curves: list[ReplicateCurve], axis: CurveAxis, experiment: Experiment) -> list[ReplicateCurve]:
    """Those that have a place there. Results from elsewhere may have come without a clock, and without updates."""
    if experiment.import_format is None:
        return curves
    if axis == CurveAxis.UPDATES:
        return []
    return [curve for curve in curves if axis != CurveAxis.WALL or curve.wall[-1] > 0]


def value_in_words(experiments: list[Experiment], name: str) -> str:
    if name.startswith(_OF_THE_POPULATION):
        return "whole population"
    words = {
        "each member, trained on its own"
        if is_sample_per_member(experiment.method)
        else "best member"
        if name in _HIGHER_IS_BETTER
        else "median member"
        for experiment in experiments
    }
    return "; ".join(sorted(words))


def positions(curve: ReplicateCurve, axis: CurveAxis, experiment: Experiment) -> Scores:
    steps = curve.steps.astype(np.float64)
    match axis:
        case CurveAxis.STEPS:
            return steps
        case CurveAxis.WALL:
            return curve.wall
        case CurveAxis.TOTAL_STEPS:
            return steps * curve.run.population_size
        case CurveAxis.UPDATES:
            return np.array([updates_at(experiment, step) or 0.0 for step in steps])


def updates_at(experiment: Experiment, step: float) -> float | None:
    """Gradient updates of a member after so many steps of it, by its resolved spec."""
    spec = experiment.spec
    if replay := spec.get("replay"):
        return max(0.0, step - float(replay["warmup"])) * float(replay["ratio"])
    rollout = spec.get("algorithm", {}).get("rollout_steps")
    if not rollout:
        return None
    return step // (int(rollout) * int(spec["environment"].get("envs_per_member", 1)))


def grid_of(places: list[Scores]) -> Scores:
    """All positions, or as many evenly between the first and the last where they are too many."""
    every = np.unique(np.concatenate(places))
    if every.size <= GRID:
        return every
    return np.linspace(float(every[0]), float(every[-1]), GRID, dtype=np.float64)


def on_grid(grid: Scores, place: Scores, values: Scores) -> Scores:
    """On straight lines between its own points; NaN before the first and after the last: nothing is made up."""
    return np.interp(grid, place, values, left=np.nan, right=np.nan)
