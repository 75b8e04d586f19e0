"""How a worker takes a study, tells what it measured, and ends it."""

from datetime import timedelta

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.kit.columns import without_nul
from phylon.backend.kit.database import after_commit
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Study
from phylon.backend.runs.status import HELD, RunStatus, move
from phylon.backend.studies import repository
from phylon.backend.workers import repository as workers
from phylon.contract.protocol import ClaimRequest, StudyClaim, StudyEnd, StudyHeartbeat, StudyHeartbeatAnswer


class StudyNotClaimable(Conflict):
    """The study is not waiting for a worker, or this worker may not take it."""


class StudyTaken(Conflict):
    """A newer attempt owns the study, or it has ended: nothing was written."""

    def __init__(self, study_id: int, attempt: int) -> None:
        super().__init__(f"Attempt {attempt} of study {study_id} may no longer write.", "End this attempt.")


def announce(session: Session, context: Context, study_id: int) -> None:
    """Once this is committed, whoever watches the study is told."""
    after_commit(session, lambda: context.doorbell.ring(f"study {study_id}"))


def claim(session: Session, context: Context, study_id: int, body: ClaimRequest) -> StudyClaim:
    study, worker = repository.lock(session, study_id), workers.get(session, body.worker_id)
    if study.status not in (RunStatus.QUEUED, RunStatus.DISPATCHED):
        raise StudyNotClaimable(f"Study {study_id} is {study.status}, so it cannot be claimed.", "Drop the message.")
    if study.wanted_worker_id not in (None, worker.id):
        raise StudyNotClaimable(
            f"Study {study_id} waits for worker {study.wanted_worker_id}, not for {worker.id}.", "Drop the message."
        )
    held = workers.held_job(session, worker.id)
    if held is not None:
        raise StudyNotClaimable(
            f"Worker {worker.name} still holds {held}; a worker has one slot.",
            "Release it first, or wait until its lease has run out.",
        )
    move(study, RunStatus.RUNNING, clock.now())
    study.attempt += 1
    study.worker_id, study.worker_name = worker.id, worker.name
    study.started_at = study.started_at or clock.now()
    _renew(study, context)
    worker.last_seen_at = clock.now()
    announce(session, context, study_id)
    return StudyClaim(
        study_id=study_id, attempt=study.attempt, lease_seconds=context.settings.lease_seconds, spec=study.spec
    )


def heartbeat(session: Session, context: Context, study_id: int, body: StudyHeartbeat) -> StudyHeartbeatAnswer:
    study = _enter(session, study_id, body.attempt)
    if body.measurements or body.position < study.done:
        repository.replace_from(session, study_id, body.position, body.measurements)
        study.done = body.position + len(body.measurements)
    if body.machine is not None:
        study.machine = body.machine.model_dump(mode="json")
    study.progress = without_nul(body.progress)
    _renew(study, context)
    announce(session, context, study_id)
    if study.worker_id is not None:
        workers.get(session, study.worker_id).last_seen_at = clock.now()
    return StudyHeartbeatAnswer(command="stop" if study.status == RunStatus.STOPPING else "continue")


def end(session: Session, context: Context, study_id: int, body: StudyEnd) -> None:
    study = _enter(session, study_id, body.attempt)
    match body.outcome:
        case "finished":
            move(study, RunStatus.FINISHED, clock.now())
        case "stopped":
            move(study, RunStatus.STOPPED, clock.now())
        case "failed":
            study.error = without_nul(body.detail)
            move(study, RunStatus.FAILED, clock.now())
        case "crashed":
            give_up(study, context.settings.max_attempts, body.detail)
        case "worker_shutdown":
            move(study, RunStatus.STOPPED if study.status == RunStatus.STOPPING else RunStatus.QUEUED, clock.now())
    study.progress = None
    announce(session, context, study_id)


def give_up(study: Study, max_attempts: int, detail: str) -> None:
    """Back to the queue, where it goes on with what is missing, unless nobody wants it or it keeps breaking."""
    study.lost_attempts += 1
    if study.status == RunStatus.STOPPING:
        move(study, RunStatus.STOPPED, clock.now())
    elif study.lost_attempts >= max_attempts:
        study.error = without_nul(f"All {max_attempts} attempts ended before the study did. The last: {detail}")
        move(study, RunStatus.FAILED, clock.now())
    else:
        move(study, RunStatus.QUEUED, clock.now())


def _enter(session: Session, study_id: int, attempt: int) -> Study:
    study = repository.lock(session, study_id)
    if study.attempt != attempt or study.status not in HELD:
        raise StudyTaken(study_id, attempt)
    return study


def _renew(study: Study, context: Context) -> None:
    study.lease_expires_at = clock.now() + timedelta(seconds=context.settings.lease_seconds)
