"""Rules about runtime studies."""

from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.names import owner_name, project_name
from phylon.backend.accounts.projects.service import owner_of_new
from phylon.backend.accounts.rights import require_change
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.events import position
from phylon.backend.jobs import actions, status
from phylon.backend.jobs.actions import Action
from phylon.backend.kit import clock, pages
from phylon.backend.kit.errors import Conflict, Invalid
from phylon.backend.models import Job, Study
from phylon.backend.queue.admission import ask_of_study, refuse_impossible
from phylon.backend.specs.refusal import SpecRefused
from phylon.backend.studies import repository
from phylon.backend.sweeping import marking
from phylon.backend.workers import repository as workers
from phylon.contract.base import Page
from phylon.contract.studies import StoredStudy, StudyFromYaml, StudySummary, StudyUpload
from phylon.contract.vocabulary import ACTIVE, HELD, JobStatus
from phylon.spec import RuntimeStudySpec, SpecInvalid, parse_study, read_yaml, study_to_yaml
from phylon.study import StudyDamaged, parse


class StudyActive(Conflict):
    """A study cannot be deleted while it has not ended."""

    def __init__(self, study_id: int) -> None:
        super().__init__(f"Study {study_id} has not ended.", "Stop it first.")


class FileRefused(Invalid):
    """The file is not a study's; nothing was stored."""


def create(session: Session, context: Context, viewer: Viewer, body: StudyFromYaml) -> StoredStudy:
    try:
        spec = parse_study(read_yaml(body.yaml))
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    owner = owner_of_new(session, viewer, body.project)
    ask = ask_of_study(spec, None if body.worker_id is None else workers.get(session, body.worker_id).id)
    if not body.wait_for_worker:
        refuse_impossible(session, [ask])
    job = status.create("study", owner, context.settings.max_attempts, clock.now(), ask, body.priority)
    study = _make(spec, job)
    session.add(study)
    session.flush()
    _record(session, viewer, "study.create", study)
    return _read(session, study)


def upload(session: Session, context: Context, viewer: Viewer, body: StudyUpload) -> StoredStudy:
    """A study that was run elsewhere. It is over, whether complete or not."""
    try:
        found = parse(body.content.encode())
    except StudyDamaged as error:
        raise FileRefused(str(error), "Send the study.jsonl that `phylon study` wrote.") from None
    is_complete = len(found.measurements) == len(found.spec.cells())
    ended = JobStatus.FINISHED if is_complete else JobStatus.STOPPED
    owner = owner_of_new(session, viewer, body.project)
    study = _make(found.spec, status.create("study", owner, context.settings.max_attempts, clock.now(), ended=ended))
    study.done, study.machine = len(found.measurements), found.machine.model_dump(mode="json")
    session.add(study)
    session.flush()
    repository.add_measurements(session, study.id, 0, found.measurements)
    _record(session, viewer, "study.upload", study)
    session.flush()
    return _read(session, study)


def list_page(session: Session, viewer: Viewer, limit: int, after: str | None) -> Page[StudySummary]:
    rows, total = repository.page(session, viewer, limit + 1, pages.decode(after))
    return Page(
        items=[summarise(study) for study in rows[:limit]],
        total=total,
        next=pages.next_cursor(rows, limit, lambda study: study.id),
    )


def get(session: Session, viewer: Viewer, study_id: int) -> StoredStudy:
    return _read(session, repository.get(session, viewer, study_id))


def act(session: Session, context: Context, viewer: Viewer, study_id: int, action: Action) -> StoredStudy:
    study = repository.lock(session, viewer, study_id)
    actions.act(session, context, viewer, action, [study.job], "study", study_id)
    return _read(session, study)


def delete(session: Session, viewer: Viewer, study_id: int) -> None:
    """It is gone for everyone from now on; the sweeper removes rows and files."""
    study = _to_change(session, viewer, study_id)
    if study.job.status in ACTIVE:
        raise StudyActive(study_id)
    _record(session, viewer, "study.delete", study)
    marking.delete(study, study.job)


def _to_change(session: Session, viewer: Viewer, study_id: int) -> Study:
    """Locked."""
    study = repository.lock(session, viewer, study_id)
    require_change(viewer, study.job, f"study {study_id}")
    return study


def _record(session: Session, viewer: Viewer, action: str, study: Study) -> None:
    audit.record(session, viewer, action, f"study {study.id}", project_id=study.job.project_id, name=study.name)


def summarise(study: Study) -> StudySummary:
    return StudySummary(**_fields(study))


def _make(spec: RuntimeStudySpec, job: Job) -> Study:
    return Study(
        job=job,
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
        "is_pausing": job.yield_to == JobStatus.PAUSED,
        "owner": owner_name(job),
        "project": project_name(job),
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
