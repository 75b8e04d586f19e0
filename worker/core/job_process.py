"""The process of a job that is no run: reads what to do, reports what happens, and ends when its launcher says so.

Its launcher holds stdin. What was reported is not done again: the next attempt goes on from there.
"""

import argparse
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from pydantic import TypeAdapter

from phylon.job_folder import RequestType, read_request
from phylon.run_directory import locked
from phylon.spool import SPOOL_FILE, SpoolWriter
from phylon.worker.core import logging
from phylon.worker.core.commands import CRASHED, EXIT_CODES, Commands
from phylon.worker.core.errors import EngineError


class Interrupted(Exception):
    """The launcher wants the job to end. What was reported is kept."""


class Journal:
    """Records what happens, and is where a job notices that it is to end."""

    def __init__(self, events: TypeAdapter[Any], spool: SpoolWriter, commands: Commands) -> None:
        self._events, self._spool, self._commands = events, spool, commands
        self._began = time.monotonic()
        self.done = 0
        """How much of the job is done, as its events count it."""

    def record(self, kind: str, **fields: Any) -> None:
        stamp = {"seq": self._spool.next_seq, "step": self.done, "wall": time.monotonic() - self._began}
        self._spool.append(self._events.validate_python({"kind": kind, **stamp, **fields}))

    def pause_if_asked(self) -> None:
        if self._commands.wanted is not None:
            raise Interrupted


def serve(
    module: str,
    events: TypeAdapter[Any],
    request: type[RequestType],
    work: Callable[[Path, RequestType, Journal], None],
) -> NoReturn:
    """Exits. An `EngineError` of `work` fails the job for good; another exception is a crash, which is tried again."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description="Does what FOLDER/request.json says.")
    parser.add_argument("folder", type=Path, help="folder that holds request.json")
    folder: Path = parser.parse_args().folder
    logging.configure_job()
    commands = Commands()
    commands.listen()
    try:
        with locked(folder):
            asked = read_request(folder, request)
            with SpoolWriter(folder / SPOOL_FILE, asked.next_seq) as spool:
                journal = Journal(events, spool, commands)
                outcome = _outcome(lambda: work(folder, asked, journal), journal, commands)
                spool.sync()
    except Exception:
        # Python's own exit code for this is 1, which here means that the job itself failed.
        traceback.print_exc()
        sys.exit(CRASHED)
    sys.exit(EXIT_CODES[outcome])


def _outcome(work: Callable[[], None], journal: Journal, commands: Commands) -> str:
    try:
        work()
    except Interrupted:
        if commands.wanted == "yield":
            return "yielded"
        journal.record("stopped")
        return "stopped"
    except EngineError as error:
        journal.record("failed", message=error.message, remedy=error.remedy)
        return "failed"
    journal.record("finished")
    return "finished"
