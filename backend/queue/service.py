"""What the scheduler decides: who is given up, what is sent again, which job goes to which workers."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple, cast

import structlog
from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.jobs import repository as jobs
from phylon.backend.jobs.changes import change, give_up, ring
from phylon.backend.jobs.kind import JobNeeds
from phylon.backend.jobs.kinds import KINDS
from phylon.backend.jobs.status import JobStatus, move_if_waiting
from phylon.backend.kit import clock
from phylon.backend.models import Job, Worker
from phylon.backend.queue import repository
from phylon.backend.workers import service as workers
from phylon.backend.workers.parts import find_lacking
from phylon.contract.protocol import DeviceKind

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_LOOKAHEAD = 200
"""Waiting jobs considered at a tick: one that no idle worker can take does not hold up those behind it."""


class Dispatch(NamedTuple):
    job_id: int
    device: DeviceKind
    at: datetime


def give_up_lost(session: Session, context: Context) -> None:
    """A worker that said nothing for a whole lease has lost its job."""
    for job in repository.with_expired_lease(session, clock.now()):
        attempt = jobs.get_attempt(session, job.id, job.attempt)
        detail = f"worker {job.worker_name} was not heard of for {context.settings.lease_seconds:g} s."
        give_up(session, context, job, attempt, "lost", detail)
        log.warning("lease_expired", job_id=job.id, attempt=attempt.number, worker=job.worker_name, status=job.status)


def take_back_unclaimed(session: Session, context: Context) -> None:
    """A message that nobody acted on may be lost; the job is queued, and so sent, again."""
    since = clock.now() - timedelta(seconds=context.settings.redispatch_seconds)
    for job in repository.unclaimed_since(session, since):
        change(session, context, job, JobStatus.QUEUED)
        log.info("dispatch_unclaimed", job_id=job.id)


def choose(session: Session, context: Context) -> list[Dispatch]:
    """Marks as many jobs as idle workers can take. They are to be sent after the commit."""
    idle = workers.idle(session, context)
    for device in repository.dispatched_devices(session):  # a message on its way will keep one busy
        _take(idle, lambda worker, device=device: worker.device == device)
    waiting = repository.waiting(session, _LOOKAHEAD) if idle else []
    needs = _find_needs(session, waiting)
    chosen: list[Dispatch] = []
    for job in waiting:
        worker = _take(idle, lambda worker, job=job: _can_take(worker, job, needs.get(job.id)))
        if worker is not None:
            dispatch = Dispatch(job.id, cast(DeviceKind, worker.device), clock.now())
            if _mark(session, dispatch):
                chosen.append(dispatch)
                ring(session, context, job.id)
    return chosen


def _find_needs(session: Session, waiting: list[Job]) -> dict[int, JobNeeds]:
    found: dict[int, JobNeeds] = {}
    for name, kind in KINDS.items():
        found |= kind.find_needs(session, [job.id for job in waiting if job.kind == name])
    return found


def _can_take(worker: Worker, job: Job, needs: JobNeeds | None) -> bool:
    return job.wanted_worker_id in (None, worker.id) and (needs is None or find_lacking(worker, needs) is None)


def _take(idle: list[Worker], fits: Callable[[Worker], bool]) -> Worker | None:
    for worker in idle:
        if fits(worker):
            idle.remove(worker)
            return worker
    return None


def _mark(session: Session, dispatch: Dispatch) -> bool:
    return move_if_waiting(
        session,
        dispatch.job_id,
        JobStatus.DISPATCHED,
        dispatch.at,
        dispatched_at=dispatch.at,
        dispatched_to=dispatch.device,
    )


def take_back(session: Session, context: Context, dispatch: Dispatch) -> None:
    """The message could not be sent."""
    job = jobs.lock(session, dispatch.job_id)
    if job.status == JobStatus.DISPATCHED and job.dispatched_at == dispatch.at:
        change(session, context, job, JobStatus.QUEUED)
