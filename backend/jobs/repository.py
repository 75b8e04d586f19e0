"""Queries about jobs and their attempts."""

from collections.abc import Iterable
from datetime import datetime
from typing import cast

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.jobs import ranks
from phylon.backend.jobs.blame import CRASHED, Past
from phylon.backend.jobs.status import HELD, JobStatus
from phylon.backend.kit import clock
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Attempt, Job, Run, Worker


def find(session: Session, job_id: int) -> Job | None:
    return session.get(Job, job_id)


def find_visible(session: Session, viewer: Viewer, job_id: int) -> Job | None:
    return session.scalar(visible(select(Job).where(Job.id == job_id), viewer, Job))


def lock(session: Session, job_id: int) -> Job:
    """The job, changed by nobody else until this transaction ends. (SQLite's writers hold the whole database.)"""
    for job in lock_all(session, [job_id]):
        return job
    raise NotFound("job", job_id)


def lock_all(session: Session, job_ids: Iterable[int]) -> list[Job]:
    statement = select(Job).where(Job.id.in_(list(job_ids))).order_by(Job.id).with_for_update()
    return list(session.scalars(statement.execution_options(populate_existing=True)))


def lock_queued(session: Session, job_ids: Iterable[int]) -> list[Job]:
    """Those of them that wait. One that someone else is changing right now is left to them."""
    statement = select(Job).where(Job.id.in_(list(job_ids)), Job.status == JobStatus.QUEUED).order_by(Job.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def lock_dispatched_to(session: Session, worker_id: int) -> list[Job]:
    """What was sent to the worker and is not claimed yet."""
    is_sent_there = (Job.worker_id == worker_id) | Job.id.in_(ranks.jobs_sent_to(session, worker_id))
    statement = select(Job).where(Job.status == JobStatus.DISPATCHED, is_sent_there).order_by(Job.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def assigned(session: Session) -> dict[int, list[tuple[Job, list[int]]]]:
    """The jobs that occupy slots of each worker, and which: executed there, or on their way."""
    statement = select(Job).where(Job.status.in_([*HELD, JobStatus.DISPATCHED]), Job.worker_id.is_not(None))
    found: dict[int, list[tuple[Job, list[int]]]] = {}
    for job in session.scalars(statement.order_by(Job.id)):
        found.setdefault(job.worker_id or 0, []).append((job, job.slots or [0]))
    for worker_id, job, slots in ranks.assigned(session):
        found.setdefault(worker_id, []).append((job, slots))
    return found


def held_by(session: Session, worker_id: int) -> list[tuple[Job, list[int]]]:
    """With the slots that each occupies there."""
    alone = select(Job).where(Job.status.in_(HELD), Job.worker_id == worker_id, Job.hosts == 1)
    return [(job, job.slots or []) for job in session.scalars(alone)] + ranks.slots_held(session, worker_id)


def start_attempt(session: Session, job: Job, worker: Worker) -> Attempt:
    job.attempts_used += 1
    attempt = Attempt(job_id=job.id, number=job.attempt, worker_id=worker.id, claimed_at=clock.now())
    session.add(attempt)
    session.flush()
    return attempt


def get_attempt(session: Session, job_id: int, number: int) -> Attempt:
    attempt = session.get(Attempt, (job_id, number))
    if attempt is None:
        raise NotFound(f"attempt of job {job_id}:", number)
    return attempt


def attempts(session: Session, job_id: int) -> list[tuple[Attempt, str]]:
    """Each with the name of its worker, the oldest first."""
    statement = (
        select(Attempt, Worker.name)
        .join(Worker, Worker.id == Attempt.worker_id)
        .where(Attempt.job_id == job_id)
        .order_by(Attempt.number)
    )
    return [(attempt, name) for attempt, name in session.execute(statement)]


def rewinds_since(session: Session, job_id: int, attempt: int) -> list[Attempt]:
    """Attempts after this one that cut history back."""
    statement = select(Attempt).where(
        Attempt.job_id == job_id, Attempt.number > attempt, Attempt.rewound_to.is_not(None)
    )
    return list(session.scalars(statement.order_by(Attempt.number)))


def past_of_job(session: Session, job: Job) -> list[Past]:
    """Attempts that are still held against the job, in order."""
    return _past(session, Attempt.job_id == job.id, Attempt.number > job.forgiven_attempt)


def past_since(session: Session, then: datetime) -> list[Past]:
    """Attempts of all jobs that ended or made progress since then, and since their worker was let back."""
    return _past(
        session,
        or_(Attempt.ended_at >= then, Attempt.progress_at >= then),
        or_(Worker.released_at.is_(None), Attempt.ended_at.is_(None), Attempt.ended_at > Worker.released_at),
    )


def _past(session: Session, *conditions: ColumnElement[bool]) -> list[Past]:
    statement = (
        select(Attempt, Run.experiment_id)
        .join(Worker, Worker.id == Attempt.worker_id)
        .outerjoin(Run, Run.job_id == Attempt.job_id)
        .where(*conditions, ~ranks.had_several())
        .order_by(Attempt.job_id, Attempt.number)
    )
    return [
        Past(
            job_id=attempt.job_id,
            origin=f"job {attempt.job_id}" if experiment_id is None else f"experiment {experiment_id}",
            worker_id=attempt.worker_id,
            end=attempt.end,
            ended_at=attempt.ended_at,
            progress_at=attempt.progress_at,
        )
        for attempt, experiment_id in cast(Iterable[tuple[Attempt, int | None]], session.execute(statement))
    ]


def count_crashes(session: Session, job: Job, worker_id: int) -> int:
    """Of this job on this worker, as far as they are held against the job."""
    statement = select(func.count()).where(
        Attempt.job_id == job.id,
        Attempt.number > job.forgiven_attempt,
        Attempt.worker_id == worker_id,
        Attempt.end == CRASHED,
    )
    return session.scalar(statement) or 0
