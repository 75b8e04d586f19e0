"""TensorBoard's event files, byte by byte, without TensorBoard.

A file is a row of records: length (8 bytes), checksum of the length (4), message, checksum of the message (4). Messages
are protocol buffers of type `Event`; checksums are CRC-32C, rotated and shifted by a constant as TFRecord does. Records
are made thousands at a time: those of one tag differ only in a few bytes, so they are the rows of one matrix.
"""

import struct

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8


def _make_table() -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ _POLYNOMIAL, table >> 1).astype(np.uint32)
    return table


_TABLE = _make_table()


def version_record(wall_time: float) -> bytes:
    """Begins every file."""
    version = b"brain.Event:2"
    message = b"\x09" + struct.pack("<d", wall_time) + b"\x1a" + _varint(len(version)) + version
    return _record(message)


def restart_record(step: int, wall_time: float) -> bytes:
    """The run went on from here: readers forget what has this step or a later one."""
    start = b"\x3a\x02\x08\x01"  # a session log whose status is START
    return _record(_head(step, wall_time) + start)


def text_record(tag: str, step: int, wall_time: float, text: str) -> bytes:
    """A text, which TensorBoard shows as Markdown: a tensor of one string for its plug-in `text`."""
    tensor = b"\x08\x07" + _field(2, _field(2, b"\x08\x01")) + _field(8, text.encode())
    metadata = _field(1, _field(1, b"text"))
    value = _field(1, tag.encode()) + _field(8, tensor) + _field(9, metadata)
    return _record(_head(step, wall_time) + _field(5, _field(1, value)))


def _head(step: int, wall_time: float) -> bytes:
    return b"\x09" + struct.pack("<d", wall_time) + b"\x10" + _varint(step)


def _field(number: int, content: bytes) -> bytes:
    """One of variable length."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _record(message: bytes) -> bytes:
    return _records(np.frombuffer(message, np.uint8)[None]).tobytes()


def scalar_records(
    tag: str, steps: NDArray[np.int64], wall_times: NDArray[np.float64], values: NDArray[np.float32]
) -> bytes:
    """One event a value."""
    name = tag.encode()
    value = b"\x0a" + _varint(len(name)) + name + b"\x15"  # its last field, 4 bytes, is the number
    summary = b"\x0a" + _varint(len(value) + 4) + value
    middle = np.frombuffer(b"\x2a" + _varint(len(summary) + 4) + summary, np.uint8)
    parts: list[bytes] = []
    widths = _varint_widths(steps)
    for width in np.unique(widths).tolist():  # messages of one length make one matrix
        chosen = widths == width
        count = int(chosen.sum())
        message = [
            np.full((count, 1), 0x09, np.uint8),
            wall_times[chosen].astype("<f8").view(np.uint8).reshape(count, 8),
            np.full((count, 1), 0x10, np.uint8),
            _varints(steps[chosen], width),
            np.broadcast_to(middle, (count, len(middle))),
            values[chosen].astype("<f4").view(np.uint8).reshape(count, 4),
        ]
        parts.append(_records(np.concatenate(message, axis=1)).tobytes())
    return b"".join(parts)


def _records(messages: Bytes) -> Bytes:
    """`messages` [count, length], each with its frame around it."""
    count, length = messages.shape
    size = np.frombuffer(struct.pack("<Q", length), np.uint8)[None]
    head = np.concatenate([size, checksums(size)], axis=1)
    return np.concatenate([np.repeat(head, count, axis=0), messages, checksums(messages)], axis=1)


def checksums(messages: Bytes) -> Bytes:
    """[count, 4]"""
    crc = np.full(len(messages), 0xFFFFFFFF, np.uint32)
    for column in messages.T:
        crc = _TABLE[(crc ^ column) & 0xFF] ^ (crc >> 8)
    crc = ~crc
    masked = ((crc >> 15) | (crc << 17)) + np.uint32(_MASK_DELTA)
    return masked.astype("<u4").view(np.uint8).reshape(-1, 4)


def _varint(number: int) -> bytes:
    numbers = np.array([number])
    return _varints(numbers, int(_varint_widths(numbers)[0])).tobytes()


def _varint_widths(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of numbers that are not negative: seven bits a byte."""
    return 1 + (numbers[:, None] >> np.arange(7, 63, 7) > 0).sum(axis=1, dtype=np.int64)


def _varints(numbers: NDArray[np.int64], width: int) -> Bytes:
    """[count, width], for numbers that need just that many bytes."""
    groups = (numbers[:, None] >> (7 * np.arange(width))) & 0x7F
    groups[:, :-1] |= 0x80
    return groups.astype(np.uint8)
