"""Intervals from a stratified bootstrap: replicates are drawn again within each task, each whole in time, so that
whatever is computed across time has an honest interval too. Bounds are percentiles of the draws.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from phylon.statistics.aggregates import Scores, Statistic, interquartile_mean, mean

RESAMPLES = 2000
LARGEST_DRAW = 4_000_000
"""Numbers drawn at once, so that nothing large makes its page slow; what is huge gets fewer resamples."""

BOUNDS = (0.025, 0.975)


class Estimate(NamedTuple):
    value: float
    low: float | None
    """None where a task has a single replicate: drawing it again always gives the same."""
    high: float | None


class Band(NamedTuple):
    """An estimate at each point; NaN where there is none."""

    value: Scores
    low: Scores
    high: Scores
    replicates: Scores
    """Replicates that have a value there."""


class Aggregate(NamedTuple):
    mean: Estimate
    interquartile_mean: Estimate


def seed_of(*query: object) -> int:
    """The same question has the same interval whenever, and beside whatever else, it is asked."""
    return int.from_bytes(hashlib.sha256(repr(query).encode()).digest()[:8], "big")


def aggregate(tasks: Sequence[Scores]) -> Aggregate:
    """Of at least one task; each has its scores, at least one and all finite."""
    return Aggregate(estimate(tasks, mean, 0), estimate(tasks, interquartile_mean, 0))


def estimate(tasks: Sequence[Scores], statistic: Statistic, seed: int) -> Estimate:
    """Of [replicates] for each task."""
    value = statistic([scores[np.newaxis] for scores in tasks])
    if not _has_interval(tasks):
        return Estimate(float(value[0]), None, None)
    draws = statistic(_draw(tasks, np.random.default_rng(seed)))
    return _estimate(value, draws)


def estimate_pair(
    first: Sequence[Scores],
    second: Sequence[Scores],
    statistic: Callable[[Sequence[Scores], Sequence[Scores]], Scores],
    seed: int,
) -> Estimate:
    """Of two arms on the same tasks, each drawn independently of the other."""
    value = statistic([scores[np.newaxis] for scores in first], [scores[np.newaxis] for scores in second])
    if not (_has_interval(first) and _has_interval(second)):
        return Estimate(float(value[0]), None, None)
    random = np.random.default_rng(seed)
    # The largest table is one of every replicate of the one with every replicate of the other.
    pairs = max(len(one) * len(other) for one, other in zip(first, second, strict=True))
    resamples = min(_resamples(first), _resamples(second), max(100, LARGEST_DRAW // pairs))
    return _estimate(value, statistic(_draw(first, random, resamples), _draw(second, random, resamples)))


def estimate_band(tasks: Sequence[Scores], statistic: Statistic, seed: int) -> Band:
    """Of [replicates, points] for each task, with NaN where a replicate has no value."""
    value = statistic([scores[np.newaxis] for scores in tasks])[0]
    count = np.sum([np.count_nonzero(~np.isnan(scores), axis=0) for scores in tasks], axis=0)
    is_drawn = np.all([np.count_nonzero(~np.isnan(scores), axis=0) > 1 for scores in tasks], axis=0)
    draws = statistic(_draw(tasks, np.random.default_rng(seed)))
    low, high = (np.where(is_drawn, _percentile(draws, share), np.nan) for share in BOUNDS)
    return Band(value, low, high, count.astype(np.float64))


def performance_profile(tasks: Sequence[Scores], thresholds: Scores, seed: int) -> Band:
    """The share of scores ([replicates] of each task) strictly above each threshold, every task weighing the same."""
    return estimate_band([(scores[:, np.newaxis] > thresholds).astype(np.float64) for scores in tasks], mean, seed)


def _has_interval(tasks: Sequence[Scores]) -> bool:
    return min(len(scores) for scores in tasks) > 1


def _resamples(tasks: Sequence[Scores]) -> int:
    return max(100, min(RESAMPLES, LARGEST_DRAW // max(1, sum(scores.size for scores in tasks))))


def _draw(tasks: Sequence[Scores], random: np.random.Generator, resamples: int | None = None) -> list[Scores]:
    draws = resamples or _resamples(tasks)
    return [scores[random.integers(len(scores), size=(draws, len(scores)))] for scores in tasks]


def _estimate(value: Scores, draws: Scores) -> Estimate:
    low, high = (float(_percentile(draws, share)) for share in BOUNDS)
    return Estimate(float(value[0]), low, high)


def _percentile(draws: Scores, share: float) -> Scores:
    """`np.percentile` over the first axis, of those draws that have a value."""
    ordered = np.sort(draws, axis=0)
    last = np.maximum(0, np.count_nonzero(~np.isnan(draws), axis=0) - 1)
    below = np.floor(share * last).astype(int)
    ends = [np.take_along_axis(ordered, np.minimum(at, last)[np.newaxis], axis=0)[0] for at in (below, below + 1)]
    return ends[0] + (ends[1] - ends[0]) * (share * last - below)
