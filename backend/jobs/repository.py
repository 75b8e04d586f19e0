"""Queries about jobs and their attempts."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from phylon.backend.jobs.status import HELD
from phylon.backend.kit import clock
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Attempt, Job, Worker


def find(session: Session, job_id: int) -> Job | None:
    return session.get(Job, job_id)


def lock(session: Session, job_id: int) -> Job:
    """The job, changed by nobody else until this transaction ends. (SQLite's writers hold the whole database.)"""
    for job in lock_all(session, [job_id]):
        return job
    raise NotFound("job", job_id)


def lock_all(session: Session, job_ids: Iterable[int]) -> list[Job]:
    statement = select(Job).where(Job.id.in_(list(job_ids))).order_by(Job.id).with_for_update()
    return list(session.scalars(statement.execution_options(populate_existing=True)))


def held_by_worker(session: Session) -> dict[int, Job]:
    """The job that each busy worker holds."""
    jobs = session.scalars(select(Job).where(Job.status.in_(HELD), Job.worker_id.is_not(None)))
    return {job.worker_id: job for job in jobs if job.worker_id is not None}


def start_attempt(session: Session, job: Job, worker: Worker) -> Attempt:
    attempt = Attempt(job_id=job.id, number=job.attempt, worker_id=worker.id, claimed_at=clock.now())
    session.add(attempt)
    session.flush()
    return attempt


def get_attempt(session: Session, job_id: int, number: int) -> Attempt:
    attempt = session.get(Attempt, (job_id, number))
    if attempt is None:
        raise NotFound(f"attempt of job {job_id}:", number)
    return attempt


def rewinds_since(session: Session, job_id: int, attempt: int) -> list[Attempt]:
    """Attempts after this one that cut history back."""
    statement = select(Attempt).where(
        Attempt.job_id == job_id, Attempt.number > attempt, Attempt.rewound_to.is_not(None)
    )
    return list(session.scalars(statement.order_by(Attempt.number)))
