"""Who may write. A worker that lost its job, and does not know it yet, can change nothing."""

from datetime import timedelta
from typing import NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.jobs import repository
from phylon.backend.jobs.status import HELD
from phylon.backend.kit import clock
from phylon.backend.kit.errors import StaleAttempt
from phylon.backend.models import Attempt, Job
from phylon.contract.protocol import OUTCOMES


class Held(NamedTuple):
    job: Job
    attempt: Attempt


def enter(session: Session, job_id: int, number: int) -> Held:
    """The job, locked, and its attempt, when `number` is the attempt that owns it. Else `StaleAttempt`.

    An attempt that reported the job's outcome may still hand in its last log lines and artifacts.
    """
    job = repository.lock(session, job_id)
    if number != job.attempt:
        raise StaleAttempt(job_id, number, f"attempt {job.attempt} is the newest")
    attempt = repository.get_attempt(session, job_id, number)
    if attempt.end is not None and attempt.end not in OUTCOMES:
        raise StaleAttempt(job_id, number, f"it ended as {attempt.end}")
    return Held(job, attempt)


def renew(job: Job, lease_seconds: float) -> None:
    if job.status in HELD:
        job.lease_expires_at = clock.now() + timedelta(seconds=lease_seconds)
