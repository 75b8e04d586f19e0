"""The life of a job. Nothing else may change its `status`.

    queued ──▶ dispatched ──▶ running ──▶ finished
      ▲            │            │  │
      ├────────────┘            │  ├────▶ failed
      └─────── lost, crashed ───┘  └────▶ stopping ──▶ stopped (or finished, failed)

A job that no worker holds yet stops at once.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from phylon.backend.models import Job
from phylon.contract.vocabulary import ACTIVE, HELD, JobStatus

MOVES: dict[JobStatus, frozenset[JobStatus]] = {
    JobStatus.QUEUED: frozenset({JobStatus.DISPATCHED, JobStatus.RUNNING, JobStatus.STOPPED}),
    JobStatus.DISPATCHED: frozenset({JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.STOPPED}),
    JobStatus.RUNNING: frozenset(
        {JobStatus.QUEUED, JobStatus.STOPPING, JobStatus.FINISHED, JobStatus.STOPPED, JobStatus.FAILED}
    ),
    JobStatus.STOPPING: frozenset({JobStatus.FINISHED, JobStatus.STOPPED, JobStatus.FAILED}),
    JobStatus.FINISHED: frozenset(),
    JobStatus.STOPPED: frozenset(),
    JobStatus.FAILED: frozenset(),
}


class IllegalMove(RuntimeError):
    """A programming error: some rule let a job go where it cannot."""

    def __init__(self, job: Job, here: JobStatus, there: JobStatus) -> None:
        legal = ", ".join(sorted(MOVES[here])) or "nowhere: it has ended"
        super().__init__(f"Job {job.id} is {here} and cannot become {there}; from here it can go to {legal}.")


def create(kind: str, max_attempts: int, at: datetime, ended: JobStatus | None = None) -> Job:
    """A job in the queue, or one that was done elsewhere and only needs keeping."""
    job = Job(kind=kind, max_attempts=max_attempts, created_at=at)
    for column, value in _entering(ended or JobStatus.QUEUED, at).items():
        setattr(job, column, value)
    return job


def move(job: Job, to: JobStatus, at: datetime) -> None:
    """Change the status of a job whose row this transaction has locked."""
    here = JobStatus(job.status)
    if to not in MOVES[here]:
        raise IllegalMove(job, here, to)
    for column, value in _entering(to, at).items():
        setattr(job, column, value)


def move_if_waiting(session: Session, job_id: int, to: JobStatus, at: datetime, **values: Any) -> bool:
    """Compare and set: of several that want the job, one wins. `values` are written along with the status."""
    changed = session.execute(
        update(Job)
        .where(Job.id == job_id, Job.status.in_([here for here, there in MOVES.items() if to in there]))
        .values(_entering(to, at) | values)
        .returning(Job.id),
        execution_options={"synchronize_session": False},
    )
    return changed.scalar_one_or_none() is not None


def _entering(to: JobStatus, at: datetime) -> dict[str, Any]:
    """The columns that change with the status, so that no caller can forget one."""
    values: dict[str, Any] = {"status": to.value}
    if to not in HELD:
        values |= {"lease_expires_at": None}
    if to != JobStatus.DISPATCHED:
        values |= {"dispatched_at": None, "dispatched_to": None}
    if to not in ACTIVE:
        values |= {"finished_at": at}
    return values
