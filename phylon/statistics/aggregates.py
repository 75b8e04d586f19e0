"""One number of many scores. Each statistic takes the scores of every task as [draws, replicates] or, over time, as
[draws, replicates, points], and gives [draws] or [draws, points].

NaN is a replicate that has no value at that point; where a task has none at all, neither has the statistic.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Statistic = Callable[[Sequence[Scores]], Scores]


def mean(tasks: Sequence[Scores]) -> Scores:
    """Every task weighs the same, however many replicates it has."""
    return np.mean([_mean(scores) for scores in tasks], axis=0)


def median(tasks: Sequence[Scores]) -> Scores:
    """Over the tasks of their means, as rliable has it; of a single task, over its replicates."""
    if len(tasks) > 1:
        return np.median([_mean(scores) for scores in tasks], axis=0)
    ordered = np.sort(tasks[0], axis=1)
    count = _count(tasks[0])
    middle = [np.maximum(0, (count - odd) // 2)[:, np.newaxis] for odd in (1, 0)]
    pair = [np.take_along_axis(ordered, np.minimum(at, ordered.shape[1] - 1), axis=1)[:, 0] for at in middle]
    return np.where(count > 0, (pair[0] + pair[1]) / 2, np.nan)


def interquartile_mean(tasks: Sequence[Scores]) -> Scores:
    """What remains of all scores without a quarter, rounded down, at each end (`scipy.stats.trim_mean`)."""
    ordered = np.sort(np.concatenate(tasks, axis=1), axis=1)  # NaN comes last
    count = _count(ordered)[:, np.newaxis]
    cut = count // 4
    place: NDArray[np.intp] = np.arange(int(ordered.shape[1]), dtype=np.intp)
    place = place if ordered.ndim == 2 else place[:, np.newaxis]
    kept: NDArray[np.bool_] = (place >= cut) & (place < count - cut)
    total = np.where(kept, ordered, 0.0).sum(axis=1)
    has_all = np.all([_count(scores) > 0 for scores in tasks], axis=0)
    return np.where(has_all, total / np.maximum(1, kept.sum(axis=1)), np.nan)


def optimality_gap(target: float) -> Statistic:
    """How far scores stay below the target on average; what is above it makes up for nothing."""

    def gap(tasks: Sequence[Scores]) -> Scores:
        return target - mean([np.minimum(scores, target) for scores in tasks])

    return gap


def _count(scores: Scores) -> NDArray[np.intp]:
    return np.count_nonzero(~np.isnan(scores), axis=1)


def _mean(scores: Scores) -> Scores:
    count = _count(scores)
    total = np.where(np.isnan(scores), 0.0, scores).sum(axis=1)
    return np.where(count > 0, total / np.maximum(1, count), np.nan)
