"""A runtime study as a kind of job: what there is to measure, and how its events become measurements."""

from sqlalchemy.orm import Session

from phylon.backend.kit.columns import without_nul
from phylon.backend.models import Study
from phylon.backend.payloads.job import folded
from phylon.backend.studies import repository
from phylon.backend.studies.service import STUDIES
from phylon.contract.protocol import JobEvent, StudyPayload
from phylon.contract.study_events import STUDY_EVENTS, MachineKnown, Measured, Progress, study_event
from phylon.study import Machine


def _payload(session: Session, study: Study) -> StudyPayload:
    return StudyPayload(
        spec=study.spec,
        machine=Machine.model_validate(study.machine) if study.machine else None,
        measurements=repository.measurements(session, study.id),
    )


def _fold(session: Session, study: Study, event: JobEvent) -> None:
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
            pass


def _forget(session: Session, study: Study) -> None:
    repository.forget_measurements(session, study.id)
    study.machine, study.done, study.progress = None, 0, None


STUDY = folded(
    *(STUDIES, STUDY_EVENTS, study_event),
    progress=frozenset({"measured"}),
    history=("machine", "measured"),
    payload=_payload,
    fold=_fold,
    forget=_forget,
)
