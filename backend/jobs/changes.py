"""Changes of a job's status that are not its worker's to report. Those who watch the job hear of each."""

from typing import Literal

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.jobs import repository
from phylon.backend.jobs.progress import forgive
from phylon.backend.jobs.status import HELD, JobStatus, move
from phylon.backend.kit import clock
from phylon.backend.kit.database import after_commit
from phylon.backend.models import Job, Worker
from phylon.backend.webhooks.jobs import notify_end


def ring(session: Session, context: Context, job_id: int) -> None:
    """Notify those who watch this job that there is something new to read, once it can be read."""
    after_commit(session, lambda: context.doorbell.ring(f"job {job_id}"))


def change(session: Session, context: Context, job: Job, to: JobStatus) -> None:
    move(job, to, clock.now())
    notify_end(session, job)
    ring(session, context, job.id)


def request_stop(session: Session, context: Context, job: Job) -> None:
    """A job that no worker holds stops at once; else its worker hears of it in the answer to its next heartbeat."""
    if job.status != JobStatus.STOPPING:
        change(session, context, job, JobStatus.STOPPING if job.status in HELD else JobStatus.STOPPED)


def request_yield(
    session: Session, context: Context, job: Job, to: Literal[JobStatus.PAUSED, JobStatus.QUEUED]
) -> None:
    """Pause a job, or let it make room for another: its worker is asked to hand it back at the next border, then it is
    `paused`, or `queued` again. A job that no worker holds is there at once. Who paused it prevails."""
    if job.status in HELD:
        if job.yield_to != JobStatus.PAUSED:
            job.yield_to = to.value
            ring(session, context, job.id)
    elif job.status != to:
        change(session, context, job, to)


def send_on(session: Session, context: Context, job: Job) -> None:
    """Someone wants a job that is paused, about to be, or over to go on from its newest checkpoint. Its attempts do not
    count against what comes."""
    if job.status in HELD:
        job.yield_to = None
        ring(session, context, job.id)
        return
    forgive(job)
    change(session, context, job, JobStatus.QUEUED)


def take_back_dispatched(session: Session, context: Context, worker: Worker) -> None:
    for job in repository.lock_dispatched_to(session, worker.id):
        change(session, context, job, JobStatus.QUEUED)
