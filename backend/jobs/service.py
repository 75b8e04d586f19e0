"""Claim, resume, heartbeat and release: the life of an attempt, as its worker reports it."""

from datetime import timedelta
from typing import cast

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.events import ingestion
from phylon.backend.events import repository as events
from phylon.backend.jobs import fence, repository
from phylon.backend.jobs.changes import give_up, ring
from phylon.backend.jobs.kinds import kind_of
from phylon.backend.jobs.status import HELD, JobStatus, move_if_waiting
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict, NotFound
from phylon.backend.logs import service as logs
from phylon.backend.models import Attempt, Job, Worker
from phylon.backend.workers import repository as workers
from phylon.backend.workers.parts import find_lacking
from phylon.contract.protocol import (
    Claim,
    ClaimRequest,
    Heartbeat,
    HeartbeatAnswer,
    JobKindName,
    Release,
    ResumeRequest,
)


class JobNotClaimable(Conflict):
    """The job is not waiting for a worker, or this worker cannot take it."""


class ResumeTooLate(Conflict):
    """An attempt resumes once, before it reports anything."""

    def __init__(self, job_id: int, attempt: int) -> None:
        super().__init__(
            f"Attempt {attempt} of job {job_id} has already reported events and cannot cut history back any more.",
            "Release the job and claim it again.",
        )


class ResumeMissing(Conflict):
    """An attempt must say where it takes up a history before it continues it."""

    def __init__(self, job_id: int, attempt: int) -> None:
        super().__init__(
            f"Job {job_id} has a history, and attempt {attempt} did not say where it takes it up.",
            "Call resume with the event number of the checkpoint, or with 0 to start from the beginning.",
        )


def claim(session: Session, context: Context, job_id: int, body: ClaimRequest) -> Claim:
    worker = workers.get(session, body.worker_id)
    job = repository.find(session, job_id)
    if job is None:
        raise NotFound("job", job_id)
    _check_worker(session, job, worker)
    won = move_if_waiting(
        session,
        job_id,
        JobStatus.RUNNING,
        clock.now(),
        attempt=Job.attempt + 1,
        worker_id=worker.id,
        worker_name=worker.name,
        started_at=job.started_at or clock.now(),
        lease_expires_at=clock.now() + timedelta(seconds=context.settings.lease_seconds),
    )
    session.refresh(job)
    if not won:
        raise JobNotClaimable(f"Job {job_id} is {job.status}, so it cannot be claimed.", "Drop the message.")
    repository.start_attempt(session, job, worker)
    worker.last_seen_at = clock.now()
    ring(session, context, job_id)
    return Claim(
        job_id=job_id,
        kind=cast(JobKindName, job.kind),
        attempt=job.attempt,
        lease_seconds=context.settings.lease_seconds,
        next_seq=job.last_seq + 1,
        payload=kind_of(job).make_payload(session, job),
    )


def _check_worker(session: Session, job: Job, worker: Worker) -> None:
    if job.wanted_worker_id not in (None, worker.id):
        raise JobNotClaimable(
            f"Job {job.id} waits for worker {job.wanted_worker_id}, not for {worker.id}.", "Drop the message."
        )
    needs = kind_of(job).find_needs(session, [job.id]).get(job.id)
    lacking = None if needs is None else find_lacking(worker, needs)
    if lacking is not None:
        raise JobNotClaimable(
            f"Job {job.id} needs {lacking}, which worker {worker.name} does not have.",
            "Install the package that has it on this worker and restart the worker, or let another one take the job.",
        )
    held = repository.held_by_worker(session).get(worker.id)
    if held is not None:
        raise JobNotClaimable(
            f"Worker {worker.name} still holds job {held.id}, a {held.kind}; a worker has one slot.",
            "Release it first, or wait until its lease has run out.",
        )


def resume(session: Session, context: Context, job_id: int, body: ResumeRequest) -> HeartbeatAnswer:
    job, attempt = fence.enter(session, job_id, body.attempt)
    if events.has_reported(session, job_id, attempt.number) or job.status not in HELD:
        raise ResumeTooLate(job_id, attempt.number)
    ingestion.cut_back(session, context, job, body.from_seq)
    attempt.rewound_to = body.from_seq
    fence.renew(job, context.settings.lease_seconds)
    ring(session, context, job_id)
    return _answer(job, attempt)


def heartbeat(session: Session, context: Context, job_id: int, body: Heartbeat) -> HeartbeatAnswer:
    job, attempt = fence.enter(session, job_id, body.attempt)
    if body.events and _must_resume_first(session, job, attempt):
        raise ResumeMissing(job_id, attempt.number)
    ingestion.ingest(session, job, attempt, body.events)
    logs.ingest(session, attempt, body.logs)
    fence.renew(job, context.settings.lease_seconds)
    workers.get(session, attempt.worker_id).last_seen_at = clock.now()
    if body.events or body.logs:
        ring(session, context, job_id)
    return _answer(job, attempt)


def _must_resume_first(session: Session, job: Job, attempt: Attempt) -> bool:
    """Else its first events would be taken for repetitions of those that an older attempt reported."""
    if attempt.rewound_to is not None or job.last_seq < 0:
        return False
    return not events.has_reported(session, job.id, attempt.number)


def release(session: Session, context: Context, job_id: int, body: Release) -> None:
    """After an outcome there is nothing to give back, so releasing then is harmless."""
    job, attempt = fence.enter(session, job_id, body.attempt)
    if attempt.end is None:
        give_up(session, context, job, attempt, body.reason, body.detail)


def _answer(job: Job, attempt: Attempt) -> HeartbeatAnswer:
    return HeartbeatAnswer(
        next_seq=job.last_seq + 1,
        next_log_line=attempt.next_log_line,
        command="stop" if job.status == JobStatus.STOPPING else "continue",
    )
