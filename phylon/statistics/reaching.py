"""How long it takes to reach a return, where some never do."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from phylon.statistics.aggregates import Scores
from phylon.statistics.bootstrap import RESAMPLES


class Reached(NamedTuple):
    reached: int
    """Replicates that have reached it."""
    replicates: int
    median: float | None
    """None where half or more had not reached it when they ended, so that the median lies beyond what was seen."""
    low: float | None
    """Ends of the 95 % interval of the median; None where they lie beyond what was seen, or for a single replicate."""
    high: float | None


def first_reached(positions: Scores, values: Scores, target: float) -> float:
    """Where a curve is first at the target or above it; infinite where it never is."""
    at = np.flatnonzero(values >= target)
    return float(positions[at[0]]) if at.size else math.inf


def summarise_reached(firsts: Sequence[float], seed: int) -> Reached:
    """A replicate that has not reached it counts as slower than all that have: leaving it out would flatter."""
    times = np.array(firsts, np.float64)
    reached = int(np.isfinite(times).sum())
    if not times.size:
        return Reached(0, 0, None, None, None)
    random = np.random.default_rng(seed)
    draws = _medians(times[random.integers(times.size, size=(RESAMPLES, times.size))])
    bounds = np.quantile(draws, [0.025, 0.975], method="inverted_cdf") if times.size > 1 else [math.inf, math.inf]
    low, high = (float(bound) if math.isfinite(bound) else None for bound in bounds)
    middle = float(_medians(times[np.newaxis])[0])
    return Reached(reached, times.size, middle if math.isfinite(middle) else None, low, high)


def _medians(times: Scores) -> Scores:
    """[draws] of [draws, replicates]; infinite where the upper of the middle two is."""
    ordered = np.sort(times, axis=1)
    below, above = ordered[:, (times.shape[1] - 1) // 2], ordered[:, times.shape[1] // 2]
    return np.where(np.isinf(above), np.inf, (below + above) / 2)
