"""What policies earned in episodes: each by itself, and one beside another that played the same ones."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from phylon.statistics.student import half_widths


class Mean(NamedTuple):
    """With its 95 % interval by Student's t; a single sample has none."""

    mean: float
    low: float | None
    high: float | None


class Summary(NamedTuple):
    """Of episodes' returns."""

    mean: float
    low: float | None
    high: float | None
    smallest: float
    largest: float
    length: float
    """Steps of an episode, on average."""
    episodes: int


def estimate(values: Sequence[float]) -> Mean:
    mean, width = float(np.mean(values)), float(half_widths(np.asarray(values, np.float64)[None])[0])
    return Mean(mean, mean - width, mean + width) if np.isfinite(width) else Mean(mean, None, None)


def summarise(returns: Sequence[float], lengths: Sequence[int]) -> Summary:
    return Summary(
        *estimate(returns), float(min(returns)), float(max(returns)), float(np.mean(lengths)), episodes=len(returns)
    )


def difference(returns: Sequence[float], others: Sequence[float]) -> Mean | None:
    """Episode by episode, of those that both have played: what chance made of an episode counts for neither."""
    both = min(len(returns), len(others))
    if both == 0:
        return None
    return estimate([float(mine) - float(theirs) for mine, theirs in zip(returns[:both], others[:both], strict=True)])
