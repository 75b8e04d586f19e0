"""Several experiments in a few numbers, after Agarwal et al. 2021 (arXiv 2108.13264): mean, interquartile mean, and
intervals from a bootstrap that resamples within each experiment. Experiments are fixed; what was learned is random.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

RESAMPLES = 2000
LARGEST_DRAW = 4_000_000
"""Numbers drawn at once, so that no group makes its page slow; huge groups get fewer resamples."""


class Estimate(NamedTuple):
    value: float
    low: float | None
    high: float | None


class Aggregate(NamedTuple):
    mean: Estimate
    interquartile_mean: Estimate


def aggregate(experiments: Sequence[Scores]) -> Aggregate:
    """Of at least one experiment; each has its samples, at least one and all finite."""
    sizes = [len(samples) for samples in experiments]
    resamples = max(100, min(RESAMPLES, LARGEST_DRAW // sum(sizes)))
    has_interval = min(sizes) > 1  # resampling a single sample always gives that sample
    random = np.random.default_rng(0)  # the same numbers give the same interval whenever they are asked for
    draws = [samples[random.integers(len(samples), size=(resamples, len(samples)))] for samples in experiments]

    def estimate(statistic: Callable[[list[Scores]], Scores]) -> Estimate:
        value = float(statistic([samples[np.newaxis] for samples in experiments])[0])
        if not has_interval:
            return Estimate(value, None, None)
        low, high = np.percentile(statistic(draws), [2.5, 97.5])
        return Estimate(value, float(low), float(high))

    return Aggregate(estimate(mean), estimate(interquartile_mean))


def mean(experiments: Sequence[Scores]) -> Scores:
    """[draws] from [draws, samples] of each experiment. Every experiment weighs the same, however many samples."""
    return np.mean([samples.mean(axis=1) for samples in experiments], axis=0)


def interquartile_mean(experiments: Sequence[Scores]) -> Scores:
    """[draws] from [draws, samples]: what remains of all samples without the lowest and the highest quarter."""
    pooled = np.sort(np.concatenate(experiments, axis=1), axis=1)
    cut = pooled.shape[1] // 4
    return pooled[:, cut : pooled.shape[1] - cut].mean(axis=1)
