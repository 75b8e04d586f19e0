"""How attempts end without an outcome, and what follows for the job and for the worker that had it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

import structlog
from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.jobs import blame, repository
from phylon.backend.jobs.changes import change, take_back_dispatched
from phylon.backend.jobs.status import JobStatus
from phylon.backend.kit import clock
from phylon.backend.kit.columns import without_nul
from phylon.backend.models import Attempt, Job, Worker
from phylon.backend.webhooks.jobs import notify_lost, notify_quarantined
from phylon.backend.workers import repository as workers

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

Reason = Literal["crashed", "worker_shutdown", "yielded", "low_disk", "lost", "incomplete"]
IN_ORDER = frozenset[Reason]({"worker_shutdown", "yielded", "low_disk", "incomplete"})
"""Hand-backs that say nothing against the job."""

_LONGEST_PAUSE = 60
"""In units of the pause after the first bad end."""
_LOW_DISK_PAUSE = timedelta(minutes=5)
"""Nobody gets the job for so long: the same worker would hand it back at once."""


def give_up(
    session: Session,
    context: Context,
    job: Job,
    attempt: Attempt,
    reason: Reason,
    detail: str,
    worker_id: int | None = None,
) -> None:
    """The attempt ended without an outcome. The job is queued again, unless someone paused it, nobody wants it, or it
    keeps breaking. `worker_id`: of a gang the one that gives back, where it is not the first."""
    attempt.end, attempt.detail, attempt.ended_at = reason, without_nul(detail), clock.now()
    if reason in IN_ORDER:
        job.attempts_used -= 1
    if reason == "worker_shutdown":
        note_departure(session, context, workers.get(session, worker_id or attempt.worker_id))
    elif reason == "incomplete":
        job.not_before = clock.now() + timedelta(seconds=context.settings.retry_seconds)
    elif reason == "low_disk":
        job.not_before = clock.now() + _LOW_DISK_PAUSE
    elif reason == "lost":
        notify_lost(session, job)
    if job.status == JobStatus.STOPPING:
        change(session, context, job, JobStatus.STOPPED)
    elif reason in IN_ORDER:
        change(session, context, job, JobStatus(job.yield_to or JobStatus.QUEUED))
    else:
        _after_bad_end(session, context, job, attempt, reason)


def _after_bad_end(session: Session, context: Context, job: Job, attempt: Attempt, reason: Reason) -> None:
    # When one of a gang dies the others die of that, so nobody knows whose fault it was.
    is_clear = reason == blame.CRASHED and job.hosts == 1
    verdict = _judge(session, job, attempt) if is_clear else blame.Verdict()
    last = _describe(reason, attempt.detail or "")
    if verdict.workers_the_job_broke_on:
        names = " and ".join(workers.get(session, id).name for id in verdict.workers_the_job_broke_on)
        _fail(session, context, job, f"It crashed on {names}, so the fault is its own. The last attempt {last}")
    elif job.attempts_used >= job.max_attempts and not verdict.jobs_the_worker_broke:
        _fail(session, context, job, f"All {job.max_attempts} attempts ended without an outcome. The last {last}")
    else:
        pause = context.settings.retry_seconds * min(2 ** (job.attempts_used - 1), _LONGEST_PAUSE)
        job.not_before = clock.now() + timedelta(seconds=pause)
        change(session, context, job, JobStatus(job.yield_to or JobStatus.QUEUED))
    if verdict.jobs_the_worker_broke:
        _convict(session, context, workers.get(session, attempt.worker_id), verdict.jobs_the_worker_broke)


def _judge(session: Session, job: Job, attempt: Attempt) -> blame.Verdict:
    session.flush()
    own = repository.past_of_job(session, job)
    crash = own[-1]
    recent = repository.past_since(session, clock.now() - blame.WINDOW)
    return blame.judge(crash, own, recent, workers.quarantined(session))


def _convict(session: Session, context: Context, worker: Worker, job_ids: Sequence[int]) -> None:
    """The worker gets no more jobs, and those that it broke are tried elsewhere as if they had not been there."""
    minutes = blame.WINDOW.total_seconds() / 60
    reason = f"{len(job_ids)} different jobs crashed here within {minutes:.0f} minutes, and none succeeded in between."
    quarantine(session, context, worker, reason, job_ids)
    for job in repository.lock_queued(session, job_ids):
        job.attempts_used = max(0, job.attempts_used - repository.count_crashes(session, job, worker.id))
        job.not_before = None


def quarantine(session: Session, context: Context, worker: Worker, reason: str, job_ids: Sequence[int] = ()) -> None:
    """The worker gets no job until it is let back; what was sent to it and not yet taken goes to others."""
    if worker.quarantined_at is None:
        worker.quarantined_at = clock.now()
    worker.quarantine_reason, worker.quarantine_jobs = without_nul(reason), list(job_ids)
    notify_quarantined(session, worker.name, reason)
    log.warning("worker_quarantined", worker=worker.name, reason=reason, jobs=list(job_ids))
    take_back_dispatched(session, context, worker)


def note_departure(session: Session, context: Context, worker: Worker) -> None:
    """The worker leaves in order, so what was sent to it would wait in vain."""
    worker.left_at = clock.now()
    take_back_dispatched(session, context, worker)


def _fail(session: Session, context: Context, job: Job, message: str) -> None:
    job.error = {
        "message": without_nul(message),
        "remedy": "Read the log of the last attempt; correct the spec or the worker, then retry it.",
    }
    change(session, context, job, JobStatus.FAILED)


def _describe(reason: Reason, detail: str) -> str:
    words = "crashed" if reason == blame.CRASHED else "was lost"
    return f"{words}: {detail}" if detail else f"{words}."
