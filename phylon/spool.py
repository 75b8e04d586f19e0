"""Reads the event spool of a run directory while the trainer still writes it; CLI and supervisor follow runs with it.

The spool is `events.jsonl`: one event a line, line number = `seq`. A trainer that takes up a run cuts the spool back to
its checkpoint and first appends a `started` event there.
"""

from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from phylon.contract.events import RunEvent, Started, run_event

SPOOL_FILE = "events.jsonl"


class SpoolDamaged(ValueError):
    """A complete line of the spool is not the event that belongs there."""


class SpoolReader:
    """Returns each complete event once, from `next_seq` on. A missing file is empty; half a line is not there yet.

    When the spool was cut back below what was read, reading goes on at its newest `started` event, so `seq` goes back:
    whoever folds events into a state drops what lies at or above that number.
    """

    def __init__(self, path: str | Path, next_seq: int = 0) -> None:
        self._path = Path(path)
        self._wanted = next_seq
        self._line = 0
        self._offset = 0
        self._last = b""  # the line that ends at `_offset`: when other bytes stand there, the spool was cut

    @property
    def next_seq(self) -> int:
        """Number of the event that comes next."""
        return max(self._line, self._wanted)

    def read(self, limit: int | None = None) -> list[RunEvent]:
        """The events since the last call, at most `limit` of them."""
        try:
            with self._path.open("rb") as file:
                if not self._stands_where_it_was(file):
                    self._go_to_newest_start(file)
                return self._read_on(file, limit)
        except FileNotFoundError:
            return []

    def _read_on(self, file: BinaryIO, limit: int | None) -> list[RunEvent]:
        file.seek(self._offset)
        found: list[RunEvent] = []
        while limit is None or len(found) < limit:
            line = file.readline()
            if not line.endswith(b"\n"):
                break
            if self._line >= self._wanted:
                found.append(self._parse(line))
            self._place(self._line + 1, self._offset + len(line), line)
        return found

    def _stands_where_it_was(self, file: BinaryIO) -> bool:
        file.seek(self._offset - len(self._last))
        return file.read(len(self._last)) == self._last

    def _go_to_newest_start(self, file: BinaryIO) -> None:
        """To just before the newest `started` (the beginning, when there is none)."""
        file.seek(0)
        self._place(0, 0, b"")
        start = (0, 0, b"")
        while (line := file.readline()).endswith(b"\n"):
            # A blank line stands for an event that another worker told; see `rewind` of the run directory.
            if line.strip() and isinstance(self._parse(line), Started):
                start = (self._line, self._offset, self._last)
            self._place(self._line + 1, self._offset + len(line), line)
        self._place(*start)
        self._wanted = self._line

    def _place(self, line: int, offset: int, last: bytes) -> None:
        self._line, self._offset, self._last = line, offset, last

    def _parse(self, line: bytes) -> RunEvent:
        try:
            event = run_event.validate_json(line)
        except ValidationError as error:
            reason = error.errors(include_url=False)[0]["msg"]
            raise SpoolDamaged(
                f"{self._path} line {self._line + 1} is not an event: {reason}; got {line[:80]!r}"
            ) from None
        if event.seq != self._line:
            raise SpoolDamaged(
                f"{self._path} line {self._line + 1} holds event {event.seq}; events are numbered from 0"
            )
        return event
