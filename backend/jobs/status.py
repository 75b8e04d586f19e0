"""The life of a job. Nothing else may change its `status`.

    queued ──▶ dispatched ──▶ running ──▶ finished
      ▲            │            │  │
      ├────────────┘            │  ├────▶ failed
      └─────── lost, crashed ───┘  └────▶ stopping ──▶ stopped (or finished, failed)

A job that no worker holds stops at once. Whatever has not ended and is not stopping can be paused; a paused job, and
one that has ended, goes on when someone sends it back to the queue.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Owner
from phylon.backend.models import Job
from phylon.backend.queue.ask import NO_ASK, Ask, write
from phylon.contract.vocabulary import ACTIVE, HELD, JobStatus, Priority

MOVES: dict[JobStatus, frozenset[JobStatus]] = {
    JobStatus.QUEUED: frozenset({JobStatus.DISPATCHED, JobStatus.PAUSED, JobStatus.STOPPED}),
    JobStatus.DISPATCHED: frozenset({JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.PAUSED, JobStatus.STOPPED}),
    JobStatus.RUNNING: frozenset(
        {
            JobStatus.QUEUED,
            JobStatus.PAUSED,
            JobStatus.STOPPING,
            JobStatus.FINISHED,
            JobStatus.STOPPED,
            JobStatus.FAILED,
        }
    ),
    JobStatus.STOPPING: frozenset({JobStatus.FINISHED, JobStatus.STOPPED, JobStatus.FAILED}),
    JobStatus.PAUSED: frozenset({JobStatus.QUEUED, JobStatus.STOPPED}),
    JobStatus.FINISHED: frozenset({JobStatus.QUEUED}),
    JobStatus.STOPPED: frozenset({JobStatus.QUEUED}),
    JobStatus.FAILED: frozenset({JobStatus.QUEUED}),
}


class IllegalMove(RuntimeError):
    """A programming error: some rule let a job go where it cannot."""

    def __init__(self, job: Job, here: JobStatus, there: JobStatus) -> None:
        legal = ", ".join(sorted(MOVES[here]))
        super().__init__(f"Job {job.id} is {here} and cannot become {there}; from here it can go to {legal}.")


def create(
    kind: str,
    owner: Owner,
    max_attempts: int,
    at: datetime,
    ask: Ask = NO_ASK,
    priority: Priority = Priority.NORMAL,
    ended: JobStatus | None = None,
) -> Job:
    """A job in the queue, or one that was done elsewhere and only needs keeping."""
    job = Job(
        kind=kind,
        owner_id=owner.user_id,
        project_id=owner.project_id,
        max_attempts=max_attempts,
        created_at=at,
        queued_at=at,
        priority=priority,
        ask=write(ask),
        devices=ask.all_devices,
        hosts=ask.hosts,
        device=ask.device,
        memory_bytes=ask.memory,
        labels=list(ask.labels),
        wanted_worker_id=ask.worker_id,
    )
    for column, value in _entering(ended or JobStatus.QUEUED, at).items():
        setattr(job, column, value)
    return job


def move(job: Job, to: JobStatus, at: datetime) -> None:
    """Change the status of a job whose row this transaction has locked."""
    here = JobStatus(job.status)
    if to not in MOVES[here]:
        raise IllegalMove(job, here, to)
    if to == JobStatus.QUEUED and here != JobStatus.DISPATCHED:  # a message that got lost does not restart the waiting
        job.queued_at = at
    for column, value in _entering(to, at).items():
        setattr(job, column, value)


def dispatch_all(
    session: Session, job_ids: Iterable[int], at: datetime, values: Mapping[int, Mapping[str, Any]]
) -> None:
    """Send queued jobs whose rows this transaction has locked, many at once. `values` are written along, by job."""
    rows = [{"id": id, **_entering(JobStatus.DISPATCHED, at), "dispatched_at": at, **values[id]} for id in job_ids]
    if rows:
        session.execute(update(Job), rows)


def _entering(to: JobStatus, at: datetime) -> dict[str, Any]:
    """The columns that change with the status, so that no caller can forget one."""
    values: dict[str, Any] = {"status": to.value, "yield_to": None, "finished_at": None if to in ACTIVE else at}
    if to not in HELD:
        values |= {"lease_expires_at": None}
    if to not in HELD and to != JobStatus.DISPATCHED:
        values |= {"slots": None}
    if to != JobStatus.DISPATCHED:
        values |= {"dispatched_at": None}
    if to == JobStatus.QUEUED:
        values |= {"error": None}
    return values
