"""A job that makes progress gets its attempts back: what broke before is not held against it any more."""

from phylon.backend.kit import clock
from phylon.backend.models import Attempt, Job


def note_progress(job: Job, attempt: Attempt) -> None:
    """Its newest event is one that later attempts build on."""
    attempt.progress_at = clock.now()
    if job.last_seq > job.progressed_to:
        job.progressed_to = job.last_seq
        job.attempts_used, job.forgiven_attempt = 1, attempt.number - 1


def forgive(job: Job) -> None:
    """Someone wants a job that no worker holds to be tried as if nothing had happened."""
    job.attempts_used, job.forgiven_attempt, job.not_before = 0, job.attempt, None
