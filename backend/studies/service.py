"""Rules about runtime studies."""

from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.artifacts import storage
from phylon.backend.context import Context
from phylon.backend.events import position
from phylon.backend.experiments.service import SpecRefused
from phylon.backend.jobs import status
from phylon.backend.jobs.changes import request_stop
from phylon.backend.kit import clock, pages
from phylon.backend.kit.database import after_commit
from phylon.backend.kit.errors import Conflict, Invalid
from phylon.backend.models import Study
from phylon.backend.studies import repository
from phylon.backend.workers import repository as workers
from phylon.contract.base import Page
from phylon.contract.studies import StoredStudy, StudyFromYaml, StudySummary, StudyUpload
from phylon.contract.vocabulary import ACTIVE, HELD, JobStatus
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


def create(session: Session, context: Context, body: StudyFromYaml) -> StoredStudy:
    try:
        spec = parse_study(read_yaml(body.yaml))
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    study = _make(spec, context.settings.max_attempts)
    study.job.wanted_worker_id = None if body.worker_id is None else workers.get(session, body.worker_id).id
    session.add(study)
    session.flush()
    return _read(session, study)


def upload(session: Session, context: Context, body: StudyUpload) -> StoredStudy:
    """A study that was run elsewhere. It is over, whether complete or not."""
    try:
        found = parse(body.content.encode())
    except StudyDamaged as error:
        raise FileRefused(str(error), "Send the study.jsonl that `phylon study` wrote.") from None
    is_complete = len(found.measurements) == len(found.spec.cells())
    study = _make(found.spec, context.settings.max_attempts, JobStatus.FINISHED if is_complete else JobStatus.STOPPED)
    study.done, study.machine = len(found.measurements), found.machine.model_dump(mode="json")
    session.add(study)
    session.flush()
    repository.add_measurements(session, study.id, 0, found.measurements)
    session.flush()
    return _read(session, study)


def list_page(session: Session, limit: int, after: str | None) -> Page[StudySummary]:
    rows, total = repository.page(session, limit + 1, pages.decode(after))
    return Page(
        items=[summarise(study) for study in rows[:limit]],
        total=total,
        next=pages.next_cursor(rows, limit, lambda study: study.id),
    )


def get(session: Session, study_id: int) -> StoredStudy:
    return _read(session, repository.get(session, study_id))


def stop(session: Session, context: Context, study_id: int) -> StoredStudy:
    study = repository.lock(session, study_id)
    if study.job.status not in ACTIVE:
        raise StudyNotActive(study_id, study.job.status)
    request_stop(session, context, study.job)
    return _read(session, study)


def delete(session: Session, context: Context, study_id: int) -> None:
    study = repository.lock(session, study_id)
    if study.job.status in ACTIVE:
        raise StudyActive(study_id)
    session.delete(study)
    job_id = study.job_id
    after_commit(session, lambda: storage.delete_jobs(context.settings.artifacts, [job_id]))


def summarise(study: Study) -> StudySummary:
    return StudySummary(**_fields(study))


def _make(spec: RuntimeStudySpec, max_attempts: int, ended: JobStatus | None = None) -> Study:
    return Study(
        job=status.create("study", max_attempts, clock.now(), ended),
        name=spec.name,
        description=spec.description,
        spec=spec.model_dump(mode="json"),
        total=len(spec.cells()),
        done=0,
    )


def _read(session: Session, study: Study) -> StoredStudy:
    return StoredStudy(
        **_fields(study),
        spec=study.spec,
        yaml=study_to_yaml(parse_study(study.spec)),
        measurements=repository.measurements(session, study.id),
    )


def _fields(study: Study) -> dict[str, Any]:
    """What summary and whole study share."""
    job = study.job
    return {
        "id": study.id,
        "name": study.name,
        "description": study.description,
        "status": job.status,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "worker_name": job.worker_name,
        "machine": study.machine,
        "done": study.done,
        "total": study.total,
        "progress": study.progress if job.status in HELD else None,
        "error": job.error["message"] if job.error else None,
        "stream": position.newest(job),
    }
