"""A tick as bytes: the names with their numbers of values as JSON, a line feed, and all values as float32."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from phylon.contract.vocabulary import MetricName

SPEED: str = MetricName.SPEED_ENV_STEPS_PER_SECOND.value

_DTYPE = np.dtype("<f4")

Frame = NDArray[np.float32]


def to_frame(values: Sequence[float]) -> Frame:
    with np.errstate(over="ignore"):  # what is too large for float32 becomes infinity, which is what it is to a trainer
        return np.asarray(values, np.float64).astype(_DTYPE)


def pack(frame: Frame) -> bytes:
    return frame.astype(_DTYPE).tobytes()


def unpack(data: bytes) -> Frame:
    return np.frombuffer(data, _DTYPE)


def pack_tick(frames: Mapping[str, Frame]) -> bytes:
    header = json.dumps({name: len(frame) for name, frame in frames.items()}, separators=(",", ":"))
    return header.encode() + b"\n" + b"".join(pack(frame) for frame in frames.values())


def unpack_tick(data: bytes) -> dict[str, Frame]:
    header, _, body = data.partition(b"\n")
    values = unpack(body)
    return {name: values[start:stop] for name, start, stop in _places(header)}


@lru_cache(maxsize=256)
def _places(header: bytes) -> list[tuple[str, int, int]]:
    """Ticks of a run mostly have the same names."""
    found: list[tuple[str, int, int]] = []
    start = 0
    for name, length in json.loads(header).items():
        found.append((name, start, start + length))
        start += length
    return found
