"""Writes the event spool: an event is written completely before the trainer continues."""

import os
from pathlib import Path

from phylon.contract.events import RunEvent


class SpoolWriter:
    """Appends events in order. Call `rewind` on the run directory first: it returns `next_seq`."""

    def __init__(self, path: Path, next_seq: int) -> None:
        self._file = path.open("ab")
        self.next_seq = next_seq

    def append(self, event: RunEvent) -> None:
        if event.seq != self.next_seq:
            raise ValueError(f"event {event.seq} is out of order; the spool expects {self.next_seq}")
        # One write of a whole line: a reader sees it completely or not at all.
        self._file.write(event.model_dump_json().encode() + b"\n")
        self._file.flush()
        self.next_seq += 1

    def sync(self) -> None:
        """Makes the appended events survive a power cut; called where the run could be resumed."""
        os.fsync(self._file.fileno())

    def __enter__(self) -> "SpoolWriter":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
