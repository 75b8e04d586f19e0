"""Rows as bytes: arrays, each compressed by itself, so that a chart opens only those that it draws.

    1 byte       version of this form
    1 byte       number of arrays
    4 bytes each length of the compressed array
    the arrays   zlib over the array's bytes, all first bytes of its numbers before all second ones, and so on

Neighbouring values mostly share sign and exponent; put side by side these bytes nearly vanish. Numbers that rise are
kept as differences.
"""

import struct
import zlib
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from phylon.backend.metrics.grid import ENTRIES, bucket_ticks, row_ticks
from phylon.backend.metrics.pyramid import Buckets, of_ticks

Scalar = TypeVar("Scalar", bound=np.generic)

_VERSION = 1
_FASTEST = 1


class Axis(NamedTuple):
    """Where entries lie; of a bucket, where its last tick does."""

    seqs: NDArray[np.int64]
    steps: NDArray[np.int64]
    walls: NDArray[np.float64]


def encode_axis(axis: Axis) -> bytes:
    return _write([_differences(axis.seqs), _differences(axis.steps), axis.walls.astype("<f8")])


def decode_axis(data: bytes) -> Axis:
    seqs, steps, walls = (_open(data, index) for index in range(3))
    return Axis(
        _numbers(seqs, np.int64).cumsum(),
        _numbers(steps, np.int64).cumsum(),
        _numbers(walls, np.float64),
    )


def encode_ticks(positions: NDArray[np.int64], values: NDArray[np.float32]) -> bytes:
    """A column of level 0. `positions` in the row of those ticks that have the name; `values` [ticks, members]."""
    return _write([positions.astype(np.uint8), values.astype("<f4")])


def encode_buckets(buckets: Buckets, level: int) -> bytes:
    positions = buckets.start % row_ticks(level) // bucket_ticks(level)
    return _write(
        [
            positions.astype(np.uint8),
            buckets.ticks.astype("<u4"),
            buckets.numbers.astype("<u4"),
            *(each.astype("<f4") for each in (buckets.low, buckets.high, buckets.mean)),
        ]
    )


def decode_ticks(data: bytes) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    positions = _numbers(_open(data, 0), np.uint8).astype(np.int64)
    return positions, _numbers(_open(data, 1), np.float32).reshape(len(positions), -1)


def decode_buckets(data: bytes, level: int, row: int) -> Buckets:
    """Of any level; a tick is a bucket of its own."""
    if level == 0:
        positions, values = decode_ticks(data)
        return of_ticks(positions + row * ENTRIES, values)
    positions = _numbers(_open(data, 0), np.uint8).astype(np.int64)
    ticks = _numbers(_open(data, 1), np.uint32).astype(np.int64)
    numbers = _numbers(_open(data, 2), np.uint32).reshape(len(positions), -1)
    start = positions * bucket_ticks(level) + row * row_ticks(level)
    others = (_numbers(_open(data, index), np.float32).reshape(numbers.shape) for index in range(3, 6))
    return Buckets(start, ticks, numbers, *others)


def _differences(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.diff(numbers, prepend=0).astype("<i8")


def _write(arrays: list[NDArray[Any]]) -> bytes:
    packed = [zlib.compress(_shuffle(array), _FASTEST) for array in arrays]
    lengths = struct.pack(f"<{len(packed)}I", *(len(each) for each in packed))
    return bytes([_VERSION, len(packed)]) + lengths + b"".join(packed)


def _open(data: bytes, index: int) -> bytes:
    if data[0] != _VERSION:
        raise ValueError(f"a row of metrics has form {data[0]}, and this version of Phylon reads form {_VERSION}")
    lengths = struct.unpack_from(f"<{data[1]}I", data, 2)
    begin = 2 + 4 * data[1] + sum(lengths[:index])
    return zlib.decompress(memoryview(data)[begin : begin + lengths[index]])


def _shuffle(array: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.itemsize).T.tobytes()


def _numbers(data: bytes, dtype: type[Scalar]) -> NDArray[Scalar]:
    size = np.dtype(dtype).itemsize
    shuffled = np.frombuffer(data, np.uint8).reshape(size, -1)
    return np.ascontiguousarray(shuffled.T).reshape(-1).view(np.dtype(dtype).newbyteorder("<"))
