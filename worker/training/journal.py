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
    def __init__(self, spool: SpoolWriter, stopwatch: Stopwatch) -> None:
        self._spool, self._stopwatch = spool, stopwatch

    @property
    def next_seq(self) -> int:
        return self._spool.next_seq

    def record(self, kind: Kind, step: int, **fields: Any) -> None:
        stamp = {"seq": self._spool.next_seq, "step": step, "wall": self._stopwatch.wall}
        self._spool.append(run_event.validate_python({"kind": kind, **stamp, **fields}))

    def sync(self) -> None:
        """All events recorded so far survive a power cut."""
        self._spool.sync()
