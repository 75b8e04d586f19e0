"""Takes events into the history: each exactly once, none without its predecessor, and all that follows from them.

The caller holds the lock of the job's row, so one writer at a time extends a history.
"""

import json
from collections.abc import Sequence

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.events import repository
from phylon.backend.jobs.kinds import kind_of
from phylon.backend.jobs.progress import note_progress
from phylon.backend.jobs.status import HELD, JobStatus, move
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Invalid
from phylon.backend.models import Attempt, Job
from phylon.backend.webhooks.jobs import notify_diverged, notify_end
from phylon.contract.events import Diverged
from phylon.contract.protocol import OUTCOMES, JobEvent

_ENVELOPE = {"kind", "seq", "step", "wall"}


def ingest(session: Session, context: Context, job: Job, attempt: Attempt, events: Sequence[JobEvent]) -> None:
    """Stores what continues the history. What is there already is skipped, and nothing follows an outcome.

    What comes after a gap is left out too: the answer names the event that is waited for, and the worker goes on there.
    """
    kind = kind_of(job)
    fresh: list[JobEvent] = []
    for event in sorted(events, key=lambda event: event.seq):
        if not isinstance(event, kind.event_types):
            raise Invalid(
                f"Event {event.seq} of job {job.id} is a {type(event).__name__}, which no {job.kind} reports.",
                "Use the same version of Phylon for worker and API.",
            )
        if event.seq == job.last_seq + 1 and job.status in HELD:
            fresh.append(event)
            job.last_seq, job.last_seq_attempt = event.seq, attempt.number
            attempt.to_step = event.step
            if event.kind in kind.progress:
                note_progress(job, attempt)
            if event.kind in OUTCOMES:
                _end(job, attempt, event)
    repository.add(session, job.id, attempt.number, fresh)
    if fresh:
        kind.apply(session, context, job, fresh)
        for event in fresh:
            if isinstance(event, Diverged):
                notify_diverged(session, job, event)
        notify_end(session, job)


def cut_back(session: Session, context: Context, job: Job, from_seq: int) -> None:
    """Forget what happened from `from_seq` on, as if it had never been reported."""
    repository.cut(session, job.id, from_seq)
    job.last_seq = min(job.last_seq, from_seq - 1)
    job.last_seq_attempt = repository.attempt_of(session, job.id, job.last_seq)
    kind_of(job).rewind(session, context, job, from_seq)


def _end(job: Job, attempt: Attempt, event: JobEvent) -> None:
    outcome = JobStatus(event.kind)
    attempt.outcome = json.loads(event.model_dump_json(exclude=_ENVELOPE))  # with NaN as text, which JSON lacks
    move(job, outcome, clock.now())
    if outcome == JobStatus.FAILED:
        job.error = attempt.outcome
    attempt.end, attempt.ended_at = outcome.value, clock.now()
