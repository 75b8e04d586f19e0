"""The sweeper: a thread of the API process. Several may run; they take turns by a lock."""

import threading
import time

import structlog
from sqlalchemy.exc import SQLAlchemyError

from phylon.backend.context import Context
from phylon.backend.sweeping import service

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_IDLE_SECONDS = 1.0
_SHORTEST_PAUSE_SECONDS = 0.02
_PAUSE_SHARE = 2.0
"""It rests twice as long as it worked. SQLite's writers do not queue: they look again every so often, and one that
begins its next transaction at once would leave the others hardly a moment to get in."""
_FILES_SECONDS = 3600.0


class Sweeper:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)
        self._files_at = float("-inf")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        pause = _IDLE_SECONDS
        while not self._ended.wait(pause):
            began = time.monotonic()
            try:
                worked = self.tick()
            except SQLAlchemyError:
                worked = False  # the scheduler reports that the database is away
            except Exception:
                worked = False
                log.exception("sweeper_tick_failed")
            took = time.monotonic() - began
            pause = max(_SHORTEST_PAUSE_SECONDS, _PAUSE_SHARE * took) if worked else _IDLE_SECONDS

    def tick(self) -> bool:
        """One small piece of work; whether there may be more."""
        for step in (service.sweep_deleted, service.sweep_old_logs, service.give_back_disk):
            if step(self._context):
                return True
        if time.monotonic() - self._files_at > _FILES_SECONDS:
            self._files_at = time.monotonic()
            service.sweep_files(self._context)
        return False
