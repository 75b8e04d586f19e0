"""Weights in the safetensors format: a length, a JSON header, and the arrays one after the other.

    8 bytes, little-endian     the length of the header
    header                     {"name": {"dtype": "F32", "shape": [...], "data_offsets": [begin, end]}, ...}
    the arrays                 little-endian, in C order, without gaps

Written out here because reading it is all that a policy needs of the library, and that library writes arrays that are
not contiguous wrongly and says nothing (its issue 825).
"""

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "|u1", "BOOL": "|b1"}
_NAMES = {np.dtype(code): name for name, code in TYPES.items()}
LARGEST_HEADER = 100_000_000


class WeightsInvalid(ValueError):
    """The bytes are no safetensors file that we can read."""


def to_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The file, read back and compared: what is written is what was meant."""
    header: dict[str, Any] = {"__metadata__": {"format": "np"}}
    chunks: list[bytes] = []
    end = 0
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        chunk = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        begin, end = end, end + len(chunk)
        header[name] = {"dtype": _NAMES[array.dtype], "shape": list(arrays[name].shape), "data_offsets": [begin, end]}
        chunks.append(chunk)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the arrays are aligned
    content = struct.pack("<Q", len(text)) + text + b"".join(chunks)
    back = from_bytes(content)
    for name, array in arrays.items():
        if not np.array_equal(back[name], array, equal_nan=array.dtype.kind == "f"):
            raise WeightsInvalid(f"'{name}' does not come back as it was written")
    return content


def from_bytes(content: bytes) -> dict[str, NDArray[Any]]:
    """Arrays that share the memory of `content`, so they are read-only."""
    try:
        (length,) = struct.unpack_from("<Q", content)
        if length > LARGEST_HEADER:
            raise WeightsInvalid(f"the header claims {length} bytes")
        header = json.loads(content[8 : 8 + length])
        header.pop("__metadata__", None)
        return {name: _read(content, 8 + length, entry) for name, entry in header.items()}
    except (struct.error, UnicodeDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise WeightsInvalid(f"the weights cannot be read: {error}") from None


def _read(content: bytes, start: int, entry: Mapping[str, Any]) -> NDArray[Any]:
    begin, end = entry["data_offsets"]
    if not 0 <= begin <= end <= len(content) - start:
        raise ValueError(f"an array lies at {begin} to {end}, beyond the end of the file")
    return np.frombuffer(content[start + begin : start + end], TYPES[entry["dtype"]]).reshape(entry["shape"])
