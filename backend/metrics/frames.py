"""Frames as bytes and as numbers: float32, little-endian, one value a member."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SPEED = "speed/env_steps_per_second"

_DTYPE = np.dtype("<f4")

Frame = NDArray[np.float32]


def pack(values: Sequence[float]) -> bytes:
    with np.errstate(over="ignore"):  # what is too large for float32 becomes infinity, which is what it is to a trainer
        return np.asarray(values, np.float64).astype(_DTYPE).tobytes()


def unpack(data: bytes) -> Frame:
    return np.frombuffer(data, _DTYPE)
