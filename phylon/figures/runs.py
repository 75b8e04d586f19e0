"""What a figure is drawn from: the experiments of a group, each with the runs of its replicates."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.contract.lineage import RunLineage
from phylon.returns import RETURN, best_of
from phylon.series import Series


class DrawnRun(NamedTuple):
    series: dict[str, Series]
    """Metrics by name."""
    lineage: RunLineage


class DrawnExperiment(NamedTuple):
    name: str
    runs: list[DrawnRun]


class Curve(NamedTuple):
    steps: NDArray[np.int64]
    values: NDArray[np.float64]
    """[runs, steps]"""


def best_curve(experiment: DrawnExperiment) -> Curve | None:
    """The best member's return at the evaluations that all runs have come to; None before the first."""
    runs = [run.series[RETURN] for run in experiment.runs if RETURN in run.series]
    if not runs:
        return None
    by_step = [dict(zip(run.steps.tolist(), map(best_of, run.values), strict=True)) for run in runs]
    steps = sorted(set[int].intersection(*map(set, by_step)))
    return Curve(np.array(steps, np.int64), np.array([[run[step] for step in steps] for run in by_step]))
