"""Reads TensorBoard's event files, byte by byte, without TensorBoard; `phylon.export.event_records` says what they are
made of. Scalars are read in both of the forms that writers use, whatever else a file holds is passed over."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from phylon.export.event_records import checksums
from phylon.imports.results import ImportRefused

_FLOAT, _DOUBLE = 1, 2
"""Types of a tensor."""
_START = 1
"""Status of a session that begins, or goes on."""


class Scalar(NamedTuple):
    tag: str
    step: int
    wall_time: float
    value: float


class Restart(NamedTuple):
    """The run went on from here: what was recorded at this step or later does not count any more."""

    step: int


def read_events(content: bytes, path: str) -> Iterator[Scalar | Restart]:
    """In order. Half a record at the end is one that is still being written."""
    for message in _messages(content, path):
        try:
            yield from _events(message)
        except (IndexError, struct.error, ValueError):
            raise ImportRefused(f"{path} holds a record that is no event; copy the file again") from None


def _messages(content: bytes, path: str) -> list[bytes]:
    """All checksums are compared, those of messages of one length together."""
    heads: list[bytes] = []
    messages: dict[int, list[bytes]] = {}
    order: list[bytes] = []
    position = 0
    while position + 12 <= len(content):
        heads.append(content[position : position + 12])
        length = int.from_bytes(heads[-1][:8], "little")
        end = position + 12 + length + 4
        if end > len(content):
            if not _are_intact([heads[-1]]):
                _refuse(path)
            break
        messages.setdefault(length, []).append(content[position + 12 : end])
        order.append(content[position + 12 : end - 4])
        position = end
    if not all(_are_intact(records) for records in (heads, *messages.values()) if records):
        _refuse(path)
    return order


def _are_intact(records: list[bytes]) -> bool:
    """Each of the same length, its checksum being its last four bytes."""
    matrix = np.frombuffer(b"".join(records), np.uint8).reshape(len(records), -1)
    return bool((checksums(matrix[:, :-4]) == matrix[:, -4:]).all())


def _refuse(path: str) -> None:
    raise ImportRefused(f"{path} is damaged or no event file: a checksum is wrong; copy it again from where it was")


def _events(message: bytes) -> Iterator[Scalar | Restart]:
    fields = _fields(message)
    wall_time = struct.unpack("<d", fields[1][-1])[0] if 1 in fields else 0.0
    step = _signed(fields[2][-1]) if 2 in fields else 0
    for session in fields.get(7, []):
        if _signed(_fields(session).get(1, [b"\0"])[-1]) == _START:
            yield Restart(step)
    for summary in fields.get(5, []):
        for value in _fields(summary).get(1, []):
            parts = _fields(value)
            found = _number(parts)
            if found is not None:
                yield Scalar(parts[1][-1].decode(), step, wall_time, found)


def _number(value: dict[int, list[bytes]]) -> float | None:
    if 2 in value:
        return float(struct.unpack("<f", value[2][-1])[0])
    if 8 not in value:
        return None
    tensor = _fields(value[8][-1])
    kind = _signed(tensor.get(1, [b"\0"])[-1])
    form = {_FLOAT: "<f", _DOUBLE: "<d"}.get(kind)
    held = tensor.get(4) or tensor.get(5 if kind == _FLOAT else 6)
    if form is None or not held or len(held[-1]) != struct.calcsize(form):
        return None  # an image, a text or a histogram
    return float(struct.unpack(form, held[-1])[0])


def _fields(message: bytes) -> dict[int, list[bytes]]:
    """Of a protocol buffer, by number; those of variable length as their bytes."""
    found: dict[int, list[bytes]] = {}
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        match key & 7:
            case 0:
                _, end = _varint(message, position)
            case 1:
                end = position + 8
            case 2:
                length, position = _varint(message, position)
                end = position + length
            case 5:
                end = position + 4
            case _:
                raise ValueError(key)
        found.setdefault(key >> 3, []).append(message[position:end])
        position = end
    return found


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return value, position


def _signed(varint: bytes) -> int:
    value, _ = _varint(varint, 0)
    return value - 2**64 if value >= 2**63 else value
