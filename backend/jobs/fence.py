"""Who may write. A worker that lost its job, and does not know it yet, can change nothing."""

from datetime import timedelta
from typing import Literal, NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.jobs import repository
from phylon.backend.jobs.status import HELD, JobStatus
from phylon.backend.kit import clock
from phylon.backend.kit.errors import StaleAttempt
from phylon.backend.kit.logging import add_to_request
from phylon.backend.models import Attempt, Job, Worker
from phylon.contract.protocol import OUTCOMES


class Held(NamedTuple):
    job: Job
    attempt: Attempt


def enter(session: Session, job_id: int, number: int) -> Held:
    """The job, locked, and its attempt, when `number` is the attempt that owns it. Else `StaleAttempt`.

    An attempt that reported the job's outcome may still hand in its last log lines and artifacts.
    """
    add_to_request(job_id=job_id, attempt=number)
    job = repository.lock(session, job_id)
    if number != job.attempt:
        raise StaleAttempt(job_id, number, f"attempt {job.attempt} is the newest")
    attempt = repository.get_attempt(session, job_id, number)
    if attempt.end is not None and attempt.end not in OUTCOMES:
        raise StaleAttempt(job_id, number, f"it ended as {attempt.end}")
    return Held(job, attempt)


def command(job: Job, worker: Worker) -> Literal["continue", "stop", "yield"]:
    """What the worker is asked to do with the job that it holds."""
    if job.status == JobStatus.STOPPING:
        return "stop"
    is_wanted_back = job.yield_to is not None or worker.draining_at_once
    return "yield" if is_wanted_back and job.status in HELD else "continue"


def renew(job: Job, lease_seconds: float) -> None:
    if job.status in HELD:
        job.lease_expires_at = clock.now() + timedelta(seconds=lease_seconds)
