"""`python -m phylon.worker.studies FOLDER`: measures what FOLDER/request.json asks for."""

from collections.abc import Sequence
from pathlib import Path

from phylon.contract.study_events import study_event
from phylon.spec import SpecInvalid, parse_study
from phylon.study import Measurement
from phylon.study_folder import FolderRefused, StudyRequest, open_study
from phylon.worker.core.errors import EngineError
from phylon.worker.core.job_process import Journal, serve
from phylon.worker.studies.conductor import run
from phylon.worker.studies.machine import this_machine


class StudyJournal:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def progress(self, text: str) -> None:
        self._journal.pause_if_asked()
        self._journal.record("progress", text=text)

    def measured(self, measurements: Sequence[Measurement]) -> None:
        for measurement in measurements:
            self._journal.done += 1
            self._journal.record("measured", measurement=measurement)


def measure(folder: Path, request: StudyRequest, journal: Journal) -> None:
    machine = this_machine()
    is_continued = request.machine == machine
    journal.done = len(request.measurements) if is_continued else 0
    try:
        spec = parse_study(request.spec)
        unreported = open_study(folder, spec, machine, request)
    except SpecInvalid as error:
        remedy = "correct it, check it with `phylon validate`, and submit it again"
        raise EngineError(f"the spec is not valid: {error}", remedy) from None
    except FolderRefused as error:
        raise EngineError(str(error), "choose another folder") from None
    if not is_continued:
        journal.record("machine", machine=machine)
    reporting = StudyJournal(journal)
    reporting.measured(unreported)
    run(spec, machine, folder, reporting)


if __name__ == "__main__":
    serve("phylon.worker.studies", study_event, StudyRequest, measure)
