"""The event spool of a job's directory: its process writes it, CLI and supervisor read it meanwhile.

The spool is `events.jsonl`: one event a line, line number = `seq`. A blank line stands for an event that an earlier
attempt reported elsewhere. A trainer that takes up a run cuts the spool back to its checkpoint and first appends a
`started` event there.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeVar, cast, overload

from pydantic import TypeAdapter, ValidationError

from phylon.contract.events import RunEvent, run_event

if TYPE_CHECKING:
    from phylon.contract.protocol import JobEvent

SPOOL_FILE = "events.jsonl"

EventType = TypeVar("EventType", bound="JobEvent")


class SpoolDamaged(ValueError):
    """A complete line of the spool is not the event that belongs there."""


def cut_spool(path: Path, next_seq: int) -> None:
    """Event `next_seq` is the next to be appended: later ones go, and earlier ones that are not here become blank."""
    path.touch()
    with path.open("r+b") as spool:
        kept = end = 0
        while kept < next_seq and spool.readline().endswith(b"\n"):
            kept += 1
            end = spool.tell()
        spool.truncate(end)
        spool.seek(0, os.SEEK_END)
        spool.write(b"\n" * (next_seq - kept))
        spool.flush()
        os.fsync(spool.fileno())


class SpoolWriter:
    """Appends events in order: each is on disk, whole, before the job goes on. Call `cut_spool` first."""

    def __init__(self, path: Path, next_seq: int) -> None:
        self._file = path.open("ab")
        self.next_seq = next_seq

    def append(self, event: "JobEvent") -> None:
        if event.seq != self.next_seq:
            raise ValueError(f"event {event.seq} is out of order; the spool waits for {self.next_seq}")
        # One write of a whole line: a reader sees it completely or not at all.
        self._file.write(event.model_dump_json().encode() + b"\n")
        self._file.flush()
        self.next_seq += 1

    def sync(self) -> None:
        """What was appended survives a power cut; called where the job could be taken up again."""
        os.fsync(self._file.fileno())

    def __enter__(self) -> "SpoolWriter":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


class SpoolReader(Generic[EventType]):
    """Returns each complete event once, from `next_seq` on. A missing file is empty; half a line is not there yet.

    When the spool was cut back below what was read, reading goes on at its newest `started` event, so `seq` goes back:
    a reader that folds events into a state drops what lies at or above that number.
    """

    @overload
    def __init__(self: "SpoolReader[RunEvent]", path: str | Path, next_seq: int = 0) -> None: ...
    @overload
    def __init__(self, path: str | Path, next_seq: int = 0, *, adapter: TypeAdapter[EventType]) -> None: ...
    def __init__(self, path: str | Path, next_seq: int = 0, *, adapter: TypeAdapter[Any] = run_event) -> None:
        self._path = Path(path)
        self._adapter = cast(TypeAdapter[EventType], adapter)
        self._wanted = next_seq
        self._line = 0
        self._offset = 0
        self._last = b""  # the line that ends at `_offset`: when other bytes stand there, the spool was cut

    @property
    def next_seq(self) -> int:
        """Number of the event that comes next."""
        return max(self._line, self._wanted)

    def read(self, limit: int | None = None) -> list[EventType]:
        """The events since the last call, at most `limit` of them."""
        try:
            with self._path.open("rb") as file:
                if not self._stands_where_it_was(file):
                    self._go_to_newest_start(file)
                return self._read_on(file, limit)
        except FileNotFoundError:
            return []

    def _read_on(self, file: BinaryIO, limit: int | None) -> list[EventType]:
        file.seek(self._offset)
        found: list[EventType] = []
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
            if line.strip() and self._parse(line).kind == "started":
                start = (self._line, self._offset, self._last)
            self._place(self._line + 1, self._offset + len(line), line)
        self._place(*start)
        self._wanted = self._line

    def _place(self, line: int, offset: int, last: bytes) -> None:
        self._line, self._offset, self._last = line, offset, last

    def _parse(self, line: bytes) -> EventType:
        try:
            event = self._adapter.validate_json(line)
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
