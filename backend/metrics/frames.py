"""Frames as bytes and as numbers: float32, little-endian, one value per member."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phylon.contract.vocabulary import MetricName

SPEED: str = MetricName.SPEED_ENV_STEPS_PER_SECOND.value

_DTYPE = np.dtype("<f4")

Frame = NDArray[np.float32]


def pack(values: Sequence[float]) -> bytes:
    with np.errstate(over="ignore"):  # what is too large for float32 becomes infinity, which is what it is to a trainer
        return np.asarray(values, np.float64).astype(_DTYPE).tobytes()


def unpack(data: bytes) -> Frame:
    return np.frombuffer(data, _DTYPE)
