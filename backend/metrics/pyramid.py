"""What a bucket of ticks comes to, for each member: how many numbers, least, greatest and mean.

NaN is no number: it counts for nothing, and a bucket with nothing else has NaN for all. Infinities are numbers. The
mean is kept instead of the sum, which float32 could not hold where it holds every value.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Buckets(NamedTuple):
    """Entries in order; ticks without a value of this name are in none."""

    start: NDArray[np.int64]
    """[entries] number of the bucket's first tick"""
    ticks: NDArray[np.int64]
    """[entries] ticks that have the name"""
    numbers: NDArray[np.uint32]
    """[entries, members] and so all that follow"""
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    mean: NDArray[np.float32]


def of_ticks(start: NDArray[np.int64], values: NDArray[np.float32]) -> Buckets:
    """Each tick is a bucket of its own."""
    count = (~np.isnan(values)).astype(np.uint32)
    return Buckets(start, np.ones(len(start), np.int64), count, values, values, values)


def choose(buckets: Buckets, start: int, stop: int) -> Buckets:
    """Those that begin in these ticks."""
    first, last = np.searchsorted(buckets.start, [start, stop]).tolist()

    def part(array: NDArray[Any]) -> NDArray[Any]:
        return array[first:last]

    return _each(part, buckets)


def join(parts: Sequence[Buckets]) -> Buckets:
    """One after the other. A part with fewer members has NaN for the others."""
    if len(parts) == 1:
        return parts[0]
    members = max((part.low.shape[1] for part in parts), default=0)
    wide = [_widen(part, members) for part in parts] or [of_ticks(np.empty(0, np.int64), np.empty((0, 0), np.float32))]
    return _each(lambda *arrays: np.concatenate(arrays), *wide)


def _each(function: Callable[..., NDArray[Any]], *buckets: Buckets) -> Buckets:
    return Buckets(*(function(*arrays) for arrays in zip(*buckets, strict=True)))


def _widen(part: Buckets, members: int) -> Buckets:
    missing = members - part.low.shape[1]
    if missing == 0:
        return part
    around = ((0, 0), (0, missing))
    others = (np.pad(array, around, constant_values=np.nan) for array in part[3:])
    return Buckets(part.start, part.ticks, np.pad(part.numbers, around), *others)


def merge(buckets: Buckets, size: int) -> Buckets:
    """Buckets of `size` ticks, each beginning at a multiple of it."""
    group = buckets.start // size
    if not group.size:
        return buckets
    begins = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    numbers = np.add.reduceat(buckets.numbers, begins, axis=0, dtype=np.uint32)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        weighted = np.where(buckets.numbers > 0, buckets.mean * buckets.numbers.astype(np.float64), 0.0)
        mean = np.add.reduceat(weighted, begins, axis=0) / numbers
        return Buckets(
            group[begins] * size,
            np.add.reduceat(buckets.ticks, begins),
            numbers,
            np.fmin.reduceat(buckets.low, begins, axis=0),
            np.fmax.reduceat(buckets.high, begins, axis=0),
            mean.astype(np.float32),
        )
