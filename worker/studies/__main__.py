"""`python -m phylon.worker.studies FOLDER`: measures what FOLDER/request.json asks for. Its launcher holds stdin."""

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from phylon.contract.study_events import study_event
from phylon.run_directory import locked
from phylon.spec import SpecInvalid, parse_study
from phylon.spool import SPOOL_FILE, SpoolWriter
from phylon.study import Measurement
from phylon.study_folder import FolderRefused, StudyRequest, open_study, read_request
from phylon.worker.core import logging
from phylon.worker.core.commands import CRASHED, EXIT_CODES, Commands
from phylon.worker.studies.conductor import run
from phylon.worker.studies.machine import this_machine

Kind = Literal["machine", "progress", "measured", "finished", "stopped", "failed"]


class Interrupted(Exception):
    """The launcher wants the study to end. What is measured is kept."""


class Journal:
    """Records what happens, and is where a study notices that it is to end."""

    def __init__(self, spool: SpoolWriter, commands: Commands, done: int) -> None:
        self._spool, self._commands, self._done = spool, commands, done
        self._began = time.monotonic()

    def record(self, kind: Kind, **fields: Any) -> None:
        stamp = {"seq": self._spool.next_seq, "step": self._done, "wall": time.monotonic() - self._began}
        self._spool.append(study_event.validate_python({"kind": kind, **stamp, **fields}))

    def progress(self, text: str) -> None:
        if self._commands.wanted is not None:
            raise Interrupted
        self.record("progress", text=text)

    def measured(self, measurements: Sequence[Measurement]) -> None:
        for measurement in measurements:
            self._done += 1
            self.record("measured", measurement=measurement)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.worker.studies", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder that holds request.json")
    folder: Path = parser.parse_args(arguments).folder
    logging.configure_job()
    commands = Commands()
    commands.listen()
    with locked(folder):
        request = read_request(folder)
        with SpoolWriter(folder / SPOOL_FILE, request.next_seq) as spool:
            outcome = _measure(folder, request, spool, commands)
            spool.sync()
    return EXIT_CODES[outcome]


def _measure(folder: Path, request: StudyRequest, spool: SpoolWriter, commands: Commands) -> str:
    machine = this_machine()
    is_continued = request.machine == machine
    journal = Journal(spool, commands, done=len(request.measurements) if is_continued else 0)
    try:
        spec = parse_study(request.spec)
        unreported = open_study(folder, spec, machine, request)
    except SpecInvalid as error:
        remedy = "correct it, check it with `phylon validate`, and submit it again"
        journal.record("failed", message=f"the spec is not valid: {error}", remedy=remedy)
        return "failed"
    except FolderRefused as error:
        journal.record("failed", message=str(error), remedy="choose another folder")
        return "failed"
    if not is_continued:
        journal.record("machine", machine=machine)
    journal.measured(unreported)
    try:
        run(spec, machine, folder, journal)
    except Interrupted:
        if commands.wanted == "yield":
            return "yielded"
        journal.record("stopped")
        return "stopped"
    journal.record("finished")
    return "finished"


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Exception:
        # Python's own exit code for this is 1, which here means that the study itself failed.
        traceback.print_exc()
        sys.exit(CRASHED)
