"""Claim, resume, heartbeat and release: the life of an attempt, as its worker reports it."""

from datetime import timedelta
from typing import cast

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.events import ingestion
from phylon.backend.events import repository as events
from phylon.backend.jobs import fence, ranks, repository
from phylon.backend.jobs.changes import ring
from phylon.backend.jobs.ending import Reason, give_up
from phylon.backend.jobs.kinds import kind_of
from phylon.backend.jobs.status import HELD, JobStatus, move
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict
from phylon.backend.logs import service as logs
from phylon.backend.models import Attempt, Job, Rank, Worker
from phylon.backend.queue.ask import ask_of_each, find_lacking, offer_of
from phylon.backend.queue.ask import read as read_ask
from phylon.backend.queue.ask import write as write_ask
from phylon.backend.workers import repository as workers
from phylon.contract.protocol import (
    Claim,
    ClaimRequest,
    Heartbeat,
    HeartbeatAnswer,
    JobKindName,
    Release,
    ResumeRequest,
    Seat,
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
    """Job and worker are locked: two claims of one worker cannot both see a slot free."""
    job = repository.lock(session, job_id)
    worker = workers.lock(session, body.worker_id)
    rank = ranks.find_free(session, job, worker.id) if job.hosts > 1 else None
    slots = _check(session, job, worker, rank)
    if rank is None or job.status == JobStatus.DISPATCHED:
        _begin(session, context, job)
    if rank is not None:
        ranks.take(rank)
    worker.last_seen_at = clock.now()
    ring(session, context, job_id)
    return Claim(
        job_id=job_id,
        kind=cast(JobKindName, job.kind),
        attempt=job.attempt,
        lease_seconds=context.settings.lease_seconds,
        slots=slots,
        next_seq=job.last_seq + 1,
        payload=kind_of(job).make_payload(session, job),
        seat=rank and Seat(rank=rank.rank, size=job.hosts),
    )


def _begin(session: Session, context: Context, job: Job) -> None:
    """Of a gang whoever comes first begins the attempt of all; it is listed under the worker of rank 0."""
    worker = workers.get(session, job.worker_id or 0)
    move(job, JobStatus.RUNNING, clock.now())
    job.attempt += 1
    job.worker_name = worker.name
    job.started_at = job.started_at or clock.now()
    job.lease_expires_at = clock.now() + timedelta(seconds=context.settings.lease_seconds)
    ask = read_ask(job.ask)
    if ask.fewest_hosts < ask.hosts:
        job.ask = write_ask(ask._replace(has_begun=True))
    session.flush()
    repository.start_attempt(session, job, worker)


def _check(session: Session, job: Job, worker: Worker, rank: Rank | None) -> list[int]:
    """The slots that were chosen for it. The worker may have changed since then."""
    if job.hosts > 1 and rank is None:
        raise JobNotClaimable(f"No part of job {job.id} waits for worker {worker.id}.", "Drop the message.")
    if job.status != JobStatus.DISPATCHED and not (rank and job.status == JobStatus.RUNNING):
        raise JobNotClaimable(f"Job {job.id} is {job.status}, so it cannot be claimed.", "Drop the message.")
    if rank is None and job.worker_id != worker.id:
        raise JobNotClaimable(
            f"Job {job.id} was sent to worker {job.worker_id}, not to {worker.id}.", "Drop the message."
        )
    ask = ask_of_each(read_ask(job.ask), job.hosts)
    if ask.worker_id not in (None, worker.id):
        raise JobNotClaimable(
            f"Job {job.id} waits for worker {ask.worker_id}, not for {worker.id}.", "Drop the message."
        )
    lacking = find_lacking(ask, offer_of(worker))
    if lacking is not None:
        raise JobNotClaimable(
            f"Job {job.id} needs {lacking}, which worker {worker.name} does not have.",
            "Install the package that has it on this worker and restart the worker, or let another one take the job.",
        )
    if worker.draining_since is not None or worker.quarantined_at is not None:
        raise JobNotClaimable(f"Worker {worker.name} gets no new jobs now.", "Drop the message.")
    slots = (rank or job).slots or []
    for held, taken in repository.held_by(session, worker.id):
        if not set(slots).isdisjoint(taken):
            raise JobNotClaimable(
                f"Worker {worker.name} still holds job {held.id}, a {held.kind}, on the slots of job {job.id}.",
                "Release it first, or wait until its lease has run out.",
            )
    return slots


def resume(session: Session, context: Context, job_id: int, body: ResumeRequest) -> HeartbeatAnswer:
    job, attempt = fence.enter(session, job_id, body.attempt)
    if events.has_reported(session, job_id, attempt.number) or job.status not in HELD:
        raise ResumeTooLate(job_id, attempt.number)
    ingestion.cut_back(session, context, job, body.from_seq)
    attempt.rewound_to = body.from_seq
    attempt.from_step = events.last_step(session, job_id)
    attempt.checkpoint = events.checkpoint_before(session, job_id, body.from_seq)
    _renew(session, context, job, attempt)
    ring(session, context, job_id)
    return _answer(session, job, attempt)


def heartbeat(session: Session, context: Context, job_id: int, body: Heartbeat) -> HeartbeatAnswer:
    job, attempt = fence.enter(session, job_id, body.attempt)
    if body.events and _must_resume_first(session, job, attempt):
        raise ResumeMissing(job_id, attempt.number)
    rank = _hear(session, attempt, body)
    ingestion.ingest(session, context, job, attempt, body.events)
    context.meters.ingest_lag.note(job_id, attempt.number, body.events, clock.now().timestamp())
    logs.ingest(session, attempt, body.logs, rank)
    _renew(session, context, job, attempt)
    workers.get(session, (rank or attempt).worker_id).last_seen_at = clock.now()
    if body.events or body.logs:
        ring(session, context, job_id)
    return _answer(session, job, attempt, rank)


def _hear(session: Session, attempt: Attempt, body: Heartbeat) -> Rank | None:
    rank = body.rank and ranks.find(session, attempt, body.rank.rank)
    if rank and body.rank:
        ranks.hear(rank, body.rank)
    return rank


def _renew(session: Session, context: Context, job: Job, attempt: Attempt) -> None:
    """The lease of a gang ends with whoever is silent for longest."""
    if job.hosts == 1:
        fence.renew(job, context.settings.lease_seconds)
    elif job.status in HELD:
        of_gang = ranks.of_attempt(session, job.id, attempt.number)
        job.lease_expires_at = ranks.lease_end(of_gang, context.settings.lease_seconds)


def _must_resume_first(session: Session, job: Job, attempt: Attempt) -> bool:
    """Else its first events would be taken for repetitions of those that an older attempt reported."""
    if attempt.rewound_to is not None or job.last_seq < 0:
        return False
    return not events.has_reported(session, job.id, attempt.number)


def release(session: Session, context: Context, job_id: int, body: Release) -> None:
    """After an outcome there is nothing to give back, so releasing then is harmless."""
    job, attempt = fence.enter(session, job_id, body.attempt)
    if attempt.end is not None:
        return
    of_gang = ranks.of_attempt(session, job_id, attempt.number)
    if not of_gang:
        give_up(session, context, job, attempt, body.reason, body.detail)
        return
    speaker = next((rank for rank in of_gang if rank.rank == body.rank), of_gang[0])
    detail = f"rank {speaker.rank}: {body.detail}"
    reason: Reason = body.reason
    if reason == "yielded" and job.yield_to is None:
        # Its process ended because another one's worker wanted that.
        reason = cast(Reason, next((rank.left for rank in of_gang if rank.left), reason))
    give_up(session, context, job, attempt, reason, detail, speaker.worker_id)


def _answer(session: Session, job: Job, attempt: Attempt, rank: Rank | None = None) -> HeartbeatAnswer:
    return HeartbeatAnswer(
        next_seq=job.last_seq + 1,
        next_log_line=(rank or attempt).next_log_line,
        command=fence.command(job, workers.get(session, (rank or attempt).worker_id)),
        gang=rank and ranks.news(ranks.of_attempt(session, job.id, attempt.number)),
    )
