"""What the scheduler does at each look at the queue."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import structlog
from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.jobs import ranks
from phylon.backend.jobs import repository as jobs
from phylon.backend.jobs.changes import change, ring
from phylon.backend.jobs.ending import give_up
from phylon.backend.jobs.status import JobStatus, dispatch_all
from phylon.backend.kit import clock
from phylon.backend.queue import repository
from phylon.backend.queue.floor import Placement
from phylon.backend.queue.plan import may_decide, plan
from phylon.backend.queue.snapshot import History, read_devices, read_waiting
from phylon.backend.queue.usage import charge_ended

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


class Dispatch(NamedTuple):
    job_id: int
    worker_id: int
    at: datetime


def forget_future(session: Session, context: Context) -> None:
    """The clock was set back. What it had said before would keep leases of the dead alive, lost messages unsent and
    pauses going on for as long as it was ahead. How much of a pause was left nobody knows, so it is over."""
    now = clock.now()
    repository.bring_back(session, now, now + timedelta(seconds=context.settings.lease_seconds))


def give_up_lost(session: Session, context: Context) -> None:
    """A worker that said nothing for a whole lease has lost its job."""
    for job in repository.with_expired_lease(session, clock.now()):
        attempt = jobs.get_attempt(session, job.id, job.attempt)
        silent = ranks.most_silent(session, job) or f"worker {job.worker_name}"
        detail = f"{silent} was not heard of for {context.settings.lease_seconds:g} s."
        give_up(session, context, job, attempt, "lost", detail)
        log.warning("lease_expired", job_id=job.id, attempt=attempt.number, worker=job.worker_name, status=job.status)


def take_back_unclaimed(session: Session, context: Context) -> None:
    """A message that nobody acted on may be lost; the job is queued, and so sent, again."""
    since = clock.now() - timedelta(seconds=context.settings.redispatch_seconds)
    for job in repository.unclaimed_since(session, since):
        change(session, context, job, JobStatus.QUEUED)
        log.info("dispatch_unclaimed", job_id=job.id)


def give_up_incomplete(session: Session, context: Context) -> None:
    """A gang that did not come together in time keeps those waiting that came."""
    since = clock.now() - timedelta(seconds=context.settings.gang_start_seconds)
    for job in ranks.incomplete_since(session, since):
        missing = ", ".join(f"{rank.rank} (worker {name})" for rank, name in ranks.missing(session, job))
        detail = f"not taken within {context.settings.gang_start_seconds:g} s: rank {missing}."
        give_up(session, context, job, jobs.get_attempt(session, job.id, job.attempt), "incomplete", detail)
        log.warning("gang_incomplete", job_id=job.id, attempt=job.attempt, missing=missing)


def choose(session: Session, context: Context, history: History) -> list[Dispatch]:
    """Gives free slots to jobs and marks them. They are to be sent after the commit."""
    now = clock.now()
    session.flush()
    charge_ended(session, now, context.settings.usage_half_life_seconds)
    queue = read_devices(session, context, now, history)
    if not may_decide(queue):
        return []
    made = plan(queue._replace(batches=read_waiting(session, now, history)))
    repository.ask_to_yield(session, made.yields)
    chosen: dict[int, list[Placement]] = {}
    for placement in made.placements:
        chosen.setdefault(placement.job_id, []).append(placement)
    still = repository.lock_queued(session, list(chosen)) if chosen else []
    dispatch_all(session, still, now, {job_id: _place(chosen[job_id]) for job_id in still})
    ranks.seat(session, [placement for job_id in still for placement in chosen[job_id] if len(chosen[job_id]) > 1])
    for job_id in still:
        ring(session, context, job_id)
    return [Dispatch(each.job_id, each.worker_id, now) for each in made.placements if each.job_id in still]


def _place(placements: Sequence[Placement]) -> dict[str, Any]:
    """What is written of a job that is sent, by its ranks."""
    first, slots = placements[0], sum(len(placement.slots) for placement in placements)
    return {"worker_id": first.worker_id, "slots": list(first.slots), "devices": slots, "hosts": len(placements)}


def take_back(session: Session, context: Context, dispatch: Dispatch) -> None:
    """The message could not be sent."""
    job = jobs.lock(session, dispatch.job_id)
    if job.status == JobStatus.DISPATCHED and job.dispatched_at == dispatch.at:
        change(session, context, job, JobStatus.QUEUED)
