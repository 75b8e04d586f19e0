"""A runtime study as a kind of job: what there is to measure, and how its events become measurements."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.events import repository as events
from phylon.backend.jobs.kind import JobKind
from phylon.backend.kit.columns import without_nul
from phylon.backend.models import Event, Job
from phylon.backend.studies import repository, service
from phylon.contract.base import ReadModel
from phylon.contract.protocol import JobEvent, StudyPayload
from phylon.contract.study_events import STUDY_EVENTS, MachineKnown, Measured, Progress, study_event
from phylon.study import Machine


def make_payload(session: Session, job: Job) -> StudyPayload:
    study = repository.of_job(session, job.id)
    return StudyPayload(
        spec=study.spec,
        machine=Machine.model_validate(study.machine) if study.machine else None,
        measurements=repository.measurements(session, study.id),
    )


def apply(session: Session, context: Context, job: Job, fresh: Sequence[JobEvent]) -> None:
    study = repository.of_job(session, job.id)
    for event in fresh:
        match event:
            case MachineKnown():
                machine = event.machine.model_dump(mode="json")
                if study.machine != machine:
                    repository.forget_measurements(session, study.id)
                    study.machine, study.done = machine, 0
            case Measured():
                repository.add_measurements(session, study.id, study.done, [event.measurement])
                study.done += 1
            case Progress():
                study.progress = without_nul(event.text)
            case _:
                pass  # an outcome has changed the job


def rewind(session: Session, context: Context, job: Job, from_seq: int) -> None:
    """Fold again what is left of the history."""
    study = repository.of_job(session, job.id)
    repository.forget_measurements(session, study.id)
    study.machine, study.done, study.progress = None, 0, None
    rows = reversed(events.of_kinds(session, job.id, "machine", "measured"))
    apply(session, context, job, [study_event.validate_json(row.payload or "") for row in rows])


def restore(session: Session, job: Job, stored: Sequence[Event]) -> dict[int, str]:
    return {}


def read(session: Session, job: Job) -> ReadModel:
    return service.summarise(repository.of_job(session, job.id))


STUDY = JobKind(STUDY_EVENTS, frozenset({"measured"}), make_payload, apply, rewind, restore, read)
