"""Changes of a job's status that are not its worker's to report. Those who watch the job hear of each."""

from typing import Literal

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.jobs.status import HELD, JobStatus, move
from phylon.backend.kit import clock
from phylon.backend.kit.columns import without_nul
from phylon.backend.kit.database import after_commit
from phylon.backend.models import Attempt, Job

Reason = Literal["crashed", "worker_shutdown", "lost"]


def ring(session: Session, context: Context, job_id: int) -> None:
    """Notify those who watch this job that there is something new to read, once it can be read."""
    after_commit(session, lambda: context.doorbell.ring(f"job {job_id}"))


def change(session: Session, context: Context, job: Job, to: JobStatus) -> None:
    move(job, to, clock.now())
    ring(session, context, job.id)


def request_stop(session: Session, context: Context, job: Job) -> None:
    """A job that no worker holds stops at once; else its worker hears of it in the answer to its next heartbeat."""
    if job.status != JobStatus.STOPPING:
        change(session, context, job, JobStatus.STOPPING if job.status in HELD else JobStatus.STOPPED)


def give_up(session: Session, context: Context, job: Job, attempt: Attempt, reason: Reason, detail: str) -> None:
    """The attempt ended without an outcome. The job is queued again, unless nobody wants it or it keeps breaking."""
    attempt.end, attempt.detail, attempt.ended_at = reason, without_nul(detail), clock.now()
    if reason == "worker_shutdown":
        job.handed_back += 1
    if job.status == JobStatus.STOPPING:
        change(session, context, job, JobStatus.STOPPED)
    elif job.counted_attempts >= job.max_attempts:
        last = without_nul(_describe(reason, detail))
        job.error = {
            "message": f"All {job.max_attempts} attempts ended without an outcome. The last {last}",
            "remedy": "Read the log of the last attempt; correct the spec or the worker, then submit it again.",
        }
        change(session, context, job, JobStatus.FAILED)
    else:
        change(session, context, job, JobStatus.QUEUED)


def _describe(reason: Reason, detail: str) -> str:
    words = {"crashed": "crashed", "lost": "was lost", "worker_shutdown": "was handed back"}[reason]
    return f"{words}: {detail}" if detail else f"{words}."
