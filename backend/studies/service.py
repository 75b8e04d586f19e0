"""Rules about runtime studies."""

from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.experiments.service import SpecRefused
from phylon.backend.kit import clock, pages
from phylon.backend.kit.errors import Conflict, Invalid
from phylon.backend.models import Study
from phylon.backend.runs.status import ACTIVE, HELD, RunStatus, move
from phylon.backend.studies import repository
from phylon.backend.workers import repository as workers
from phylon.contract.base import Page
from phylon.contract.studies import StoredStudy, StudyFromYaml, StudySummary, StudyUpdate, StudyUpload
from phylon.spec import RuntimeStudySpec, SpecInvalid, parse_study, read_yaml, study_to_yaml
from phylon.study import StudyDamaged, parse


class StudyNotActive(Conflict):
    """Only a study that has not ended can be stopped."""

    def __init__(self, study_id: int, status: str) -> None:
        super().__init__(f"Study {study_id} is {status}.", "Nothing needs to be done: it is over.")


class StudyActive(Conflict):
    """A study cannot be deleted while it has not ended."""

    def __init__(self, study_id: int) -> None:
        super().__init__(f"Study {study_id} has not ended.", "Stop it first.")


class FileRefused(Invalid):
    """The file is not a study's; nothing was stored."""


def create(session: Session, body: StudyFromYaml) -> StoredStudy:
    try:
        spec = parse_study(read_yaml(body.yaml))
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    wanted = None if body.worker_id is None else workers.get(session, body.worker_id).id
    study = _make(spec)
    study.wanted_worker_id = wanted
    session.add(study)
    session.flush()
    return _read(session, study)


def upload(session: Session, body: StudyUpload) -> StoredStudy:
    """A study that was run elsewhere. It is over, whether complete or not."""
    try:
        found = parse(body.content.encode())
    except StudyDamaged as error:
        raise FileRefused(str(error), "Send the study.jsonl that `phylon study` wrote.") from None
    study = _make(found.spec)
    study.done, study.machine = len(found.measurements), found.machine.model_dump(mode="json")
    study.finished_at = clock.now()
    study.status = RunStatus.FINISHED if study.done == study.total else RunStatus.STOPPED
    session.add(study)
    session.flush()
    repository.replace_from(session, study.id, 0, found.measurements)
    session.flush()
    return _read(session, study)


def news(session: Session, study: Study, position: int) -> StudyUpdate:
    return StudyUpdate(
        **_fields(study), position=position, measurements=repository.measurements(session, study.id, position)
    )


def list_page(session: Session, limit: int, after: str | None) -> Page[StudySummary]:
    rows, total = repository.page(session, limit + 1, pages.decode(after))
    return Page(
        items=[StudySummary(**_fields(study)) for study in rows[:limit]],
        total=total,
        next=pages.next_cursor(rows, limit, lambda study: study.id),
    )


def get(session: Session, study_id: int) -> StoredStudy:
    return _read(session, repository.get(session, study_id))


def stop(session: Session, study_id: int) -> StoredStudy:
    study = repository.lock(session, study_id)
    if study.status not in ACTIVE:
        raise StudyNotActive(study_id, study.status)
    if study.status != RunStatus.STOPPING:
        move(study, RunStatus.STOPPING if study.status in HELD else RunStatus.STOPPED, clock.now())
    return _read(session, study)


def delete(session: Session, study_id: int) -> None:
    study = repository.lock(session, study_id)
    if study.status in ACTIVE:
        raise StudyActive(study_id)
    repository.replace_from(session, study_id, 0, [])
    session.delete(study)


def _make(spec: RuntimeStudySpec) -> Study:
    return Study(
        name=spec.name,
        description=spec.description,
        spec=spec.model_dump(mode="json"),
        total=len(spec.cells()),
        done=0,
        created_at=clock.now(),
        status=RunStatus.QUEUED,
    )


def _read(session: Session, study: Study) -> StoredStudy:
    return StoredStudy(
        **_fields(study),
        spec=study.spec,
        yaml=study_to_yaml(RuntimeStudySpec.model_validate(study.spec)),
        measurements=repository.measurements(session, study.id),
        stream=None,  # this stream has no positions: a reader that was away hears it from the first cell again
    )


def _fields(study: Study) -> dict[str, Any]:
    return {name: getattr(study, name) for name in StudySummary.model_fields}
