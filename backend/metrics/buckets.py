"""Fewer ticks with the same picture: of each bucket every member keeps its lowest and its highest value.

The first and the last tick stay as they are, so a chart begins and ends with true values. A bucket gives two rows at
its first and last tick; each member's lowest and highest stand in them in the order in which they happened. NaN is kept
only where a bucket has nothing else.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Bucketed(NamedTuple):
    ticks: list[int]
    """Which tick gives each row its place on the axis."""
    values: NDArray[np.float32]
    """[rows, members]"""


def bucket(values: NDArray[np.float32], points: int) -> Bucketed:
    """`values` [ticks, members] with ticks > points >= 2, as at most `points` rows."""
    last = len(values) - 1
    ticks, rows = [0], [values[0]]
    buckets = (points - 2) // 2
    edges = np.linspace(1, last, buckets + 1).astype(int) if buckets else np.array([], int)
    for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        ticks += [start, stop - 1]
        rows += _extremes(values[start:stop])
    return Bucketed([*ticks, last], np.stack([*rows, values[last]]))


def _extremes(part: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    missing = np.isnan(part)
    lowest = np.where(missing, np.inf, part).argmin(axis=0)
    highest = np.where(missing, -np.inf, part).argmax(axis=0)
    order = np.stack([np.minimum(lowest, highest), np.maximum(lowest, highest)])  # [2, members]
    earlier, later = np.take_along_axis(part, order, axis=0)
    return earlier, later
