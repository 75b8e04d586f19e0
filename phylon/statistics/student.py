"""Intervals of means: 95 % by Student's t, for a handful of episodes as well as for many."""

import math

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95


def half_widths(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the 95 % intervals around the means of rows [P, samples]; NaN for a single sample."""
    samples = values.shape[1]
    if samples == 1:
        return np.full(len(values), np.nan)
    return t_quantile(samples - 1) * values.std(axis=1, ddof=1) / math.sqrt(samples)


def t_quantile(freedom: int) -> float:
    """Where |T| stays below with a probability of 95 %, by halving an interval that holds it."""
    low, high = 1.9, 13.0  # 1.96 for infinite freedom, 12.71 for one degree
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if probability_within(middle, freedom) < CONFIDENCE else (low, middle)
    return high


def probability_within(t: float, freedom: int) -> float:
    """P(|T| < t) for whole degrees of freedom: Abramowitz & Stegun 26.7.3 and 26.7.4, finite sums of cosines."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, is_odd = math.cos(angle), freedom % 2
    term = cosine if is_odd else 1.0
    total = 0.0
    for power in range(2 + is_odd, freedom + 1, 2):
        total += term
        term *= cosine**2 * (power - 1) / power
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if is_odd else total
