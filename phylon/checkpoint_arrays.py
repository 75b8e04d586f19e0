"""Reads the arrays of a checkpoint: one `.npz`, or several where the members were trained by several processes.

The first file holds all that is not of single members, and the first block of them. Each further one holds a block: the
same names, the rows of its members, and `block`, which members those are. Arrays are read when asked for.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

BLOCK = "block"
"""The first member of a file, and the first that is not in it any more."""
FRAMES, FIRST_FRAME, END_FRAME = "replay/frames", "replay/first_frame", "replay/end_frame"
"""Frames of all members lie behind each other, of each as many as these two say."""


class CheckpointArrays:
    """`files` and `[name]` as those of an open `.npz`."""

    def __init__(self, files: Sequence[Path | IO[bytes]]) -> None:
        self._open: list[Any] = [np.load(file, allow_pickle=False) for file in files]
        self.files: list[str] = [name for name in self._open[0].files if name != BLOCK]

    def __getitem__(self, name: str) -> NDArray[Any]:
        pieces: list[NDArray[Any]] = [file[name] for file in self._open if name in file.files]
        if not pieces:
            raise KeyError(name)
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def rows(self, name: str, members: range) -> NDArray[Any]:
        """Of these members alone; a number that belongs to nobody is read as it is."""
        holding = [file for file in self._open if name in file.files]
        if len(holding) < len(self._open):  # it is in the first file only, so it is not of single members
            return self[name]
        pieces = list[NDArray[Any]]()
        for file in holding:
            start, stop = file[BLOCK].tolist() if BLOCK in file.files else (0, members.stop)
            first, end = max(start, members.start), min(stop, members.stop)
            if first < end:
                array: NDArray[Any] = file[name]
                if array.ndim == 0:
                    return array
                pieces.append(array[_places(file, name, first - start, end - start)])
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def __enter__(self) -> "CheckpointArrays":
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._open:
            file.close()


def _places(file: Any, name: str, first: int, end: int) -> slice:
    if name != FRAMES:
        return slice(first, end)
    borders: list[int] = [0, *np.cumsum(file[END_FRAME] - file[FIRST_FRAME]).tolist()]
    return slice(borders[first], borders[end])
