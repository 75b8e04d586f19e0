"""A curve of a few dozen points that is kept with the run: the best of each group of evaluations.

Groups are of 1, 2, 4, … evaluations, as few as fit. So the curve follows from the evaluations alone, whether they came
one by one or all at once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

POINTS = 40


class Sparkline(NamedTuple):
    values: NDArray[np.float32]
    evaluations: int


EMPTY = Sparkline(np.empty(0, np.float32), 0)


def grow(sparkline: Sparkline, best: float) -> Sparkline:
    """With one more evaluation, whose best this is."""
    values, evaluations = sparkline
    if evaluations % _group_size(evaluations) == 0:
        values = np.append(values, np.float32(best))
    else:
        values = np.append(values[:-1], np.fmax(values[-1], np.float32(best)))
    return Sparkline(_pairs(values) if len(values) > POINTS else values, evaluations + 1)


def draw(best: NDArray[np.float32]) -> Sparkline:
    """Of all evaluations."""
    values, size = best, _group_size(len(best))
    while size > 1:
        values, size = _pairs(values), size // 2
    return Sparkline(values, len(best))


def _pairs(values: NDArray[np.float32]) -> NDArray[np.float32]:
    even = np.append(values, np.full(len(values) % 2, np.nan, np.float32))
    return np.fmax(even[::2], even[1::2])


def _group_size(evaluations: int) -> int:
    size = 1
    while size * POINTS < evaluations:
        size *= 2
    return size
