"""Rules about runtime studies."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.accounts.projects.service import owner_of_new
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.jobs import status
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Invalid
from phylon.backend.models import Job, Study
from phylon.backend.payloads import service as payloads
from phylon.backend.payloads.service import Noun
from phylon.backend.queue.admission import ask_of_study
from phylon.backend.specs.refusal import SpecRefused
from phylon.backend.studies import repository
from phylon.backend.workers import repository as workers
from phylon.contract.studies import StoredStudy, StudyFromYaml, StudySummary, StudyUpload
from phylon.contract.vocabulary import HELD, JobStatus
from phylon.spec import RuntimeStudySpec, SpecInvalid, parse_study, read_yaml, study_to_yaml
from phylon.study import StudyDamaged, parse


class FileRefused(Invalid):
    """The file is not a study's; nothing was stored."""


def create(session: Session, context: Context, viewer: Viewer, body: StudyFromYaml) -> StoredStudy:
    try:
        spec = parse_study(read_yaml(body.yaml))
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    owner = owner_of_new(session, viewer, body.project)
    ask = ask_of_study(spec, None if body.worker_id is None else workers.get(session, body.worker_id).id)
    study = _make(spec, payloads.queue(session, context, "study", owner, ask, body))
    payloads.store(session, viewer, study)
    return _read(session, viewer, study)


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
    payloads.store(session, viewer, study, "upload")
    repository.add_measurements(session, study.id, 0, found.measurements)
    session.flush()
    return _read(session, viewer, study)


def _summarise(session: Session, viewer: Viewer | None, studies: Sequence[Study]) -> list[StudySummary]:
    return [StudySummary(**_fields(study)) for study in studies]


def _make(spec: RuntimeStudySpec, job: Job) -> Study:
    return Study(
        job=job,
        name=spec.name,
        description=spec.description,
        spec=spec.model_dump(mode="json"),
        total=len(spec.cells()),
        done=0,
    )


def _read(session: Session, viewer: Viewer, study: Study) -> StoredStudy:
    return StoredStudy(
        **_fields(study),
        spec=study.spec,
        yaml=study_to_yaml(parse_study(study.spec)),
        measurements=repository.measurements(session, study.id),
    )


def _fields(study: Study) -> dict[str, Any]:
    """What summary and whole study share."""
    return payloads.fields(study) | {
        "description": study.description,
        "machine": study.machine,
        "done": study.done,
        "total": study.total,
        "progress": study.progress if study.job.status in HELD else None,
    }


STUDIES = Noun(Study, StudySummary, StoredStudy, _summarise, _read)
