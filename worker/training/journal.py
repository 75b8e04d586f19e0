"""Records events in the spool, each with its number, step and time."""

from typing import Any, Literal

from phylon.contract.events import run_event
from phylon.spool import SpoolWriter
from phylon.worker.training.stopwatch import Stopwatch

Kind = Literal[
    "started",
    "metrics",
    "lineage",
    "checkpoint",
    "interrupted",
    "diverged",
    "video",
    "policy",
    "finished",
    "stopped",
    "failed",
]


class Journal:
    def __init__(self, spool: SpoolWriter | None, stopwatch: Stopwatch) -> None:
        """Without a spool nothing is recorded: another process of the gang does it."""
        self._spool, self._stopwatch = spool, stopwatch

    @property
    def next_seq(self) -> int:
        return self._spool.next_seq if self._spool else 0

    def record(self, kind: Kind, step: int, **fields: Any) -> None:
        if self._spool is None:
            return
        stamp = {"seq": self._spool.next_seq, "step": step, "wall": self._stopwatch.wall}
        self._spool.append(run_event.validate_python({"kind": kind, **stamp, **fields}))

    def sync(self) -> None:
        """All events recorded so far survive a power cut."""
        if self._spool is not None:
            self._spool.sync()
