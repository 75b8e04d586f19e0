"""Frames as bytes and as numbers: float32, little-endian, one value a member."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FITNESS = "evaluation/return"
SPEED = "speed/env_steps_per_second"

_DTYPE = np.dtype("<f4")

Frame = NDArray[np.float32]


def pack(values: Sequence[float]) -> bytes:
    with np.errstate(over="ignore"):  # what is too large for float32 becomes infinity, which is what it is to a trainer
        return np.asarray(values, np.float64).astype(_DTYPE).tobytes()


def unpack(data: bytes) -> Frame:
    return np.frombuffer(data, _DTYPE)


def best_of(values: NDArray[np.floating]) -> float:
    """The greatest that is a number; NaN when none is."""
    numbers = values[~np.isnan(values)]
    return float(numbers.max()) if numbers.size else math.nan


def median_of(values: NDArray[np.floating]) -> float:
    """The median of those that are numbers; NaN when none is."""
    numbers = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):  # between -infinity and infinity lies NaN
        return float(np.median(numbers)) if numbers.size else math.nan
