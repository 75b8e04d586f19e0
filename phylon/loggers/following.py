"""Hands the events of a run's spool to loggers, each event once.

How far it has come is kept in the run's directory, so a run that is resumed goes on with the same records.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from phylon.contract.events import RunEvent
from phylon.loggers.logger import LoggedRun, Logger, Record
from phylon.spool import SPOOL_FILE, SpoolReader

STATE_FILE = "logged.json"


class Following:
    """Open it before the trainer starts: a trainer that takes up a run may cut the spool back, and a reader at its
    end sees that."""

    def __init__(self, run: LoggedRun, chosen: Sequence[Logger]) -> None:
        self._state = run.folder / STATE_FILE
        self._reader = SpoolReader(run.folder / SPOOL_FILE)
        self._next = _read_state(self._state)
        """By logger, the number of the event that it waits for."""
        self.records: dict[str, Record] = {}
        try:
            for logger in chosen:
                self.records[logger.name] = logger.open(run)
                self._next.setdefault(logger.name, 0)
            self._hand_on(self._reader.read(), is_past=True)
        except BaseException:
            self._close_records()
            raise

    def catch_up(self) -> None:
        self._hand_on(self._reader.read(), is_past=False)

    def close(self) -> None:
        try:
            self.catch_up()
        finally:
            self._close_records()

    def _hand_on(self, events: Sequence[RunEvent], is_past: bool) -> None:
        """An event of the past that a logger has had is passed over; a new one with an old number was cut back to."""
        for event in events:
            for name, record in self.records.items():
                if event.seq < self._next[name]:
                    if is_past:
                        continue
                    record.restart(event.step)
                record.record(event)
                self._next[name] = event.seq + 1
        if events:
            self._state.write_text(json.dumps(self._next), encoding="utf-8")

    def _close_records(self) -> None:
        for record in self.records.values():
            record.close()


def _read_state(file: Path) -> dict[str, int]:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
