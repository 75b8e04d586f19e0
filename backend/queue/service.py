"""What the scheduler decides: who is given up, what is sent again, which run goes to which workers."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple, cast

import structlog
from sqlalchemy.orm import Session

from phylon.backend.attempts import repository as attempts
from phylon.backend.attempts.ending import give_up
from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.models import Worker
from phylon.backend.queue import repository
from phylon.backend.runs import repository as runs_repository
from phylon.backend.runs import service as runs
from phylon.backend.runs.status import RunStatus, move, move_if_waiting
from phylon.backend.workers import service as workers
from phylon.backend.workers.parts import find_lacking
from phylon.contract.protocol import DeviceKind

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_LOOKAHEAD = 200
"""Waiting runs considered at a tick: one that no idle worker can take does not hold up those behind it."""


class Dispatch(NamedTuple):
    run_id: int
    device: DeviceKind
    at: datetime


def give_up_lost(session: Session, context: Context) -> None:
    """A worker that said nothing for a whole lease has lost its run."""
    for run in repository.with_expired_lease(session, clock.now()):
        attempt = attempts.get(session, run.id, run.attempt)
        detail = f"worker {run.worker_name} was not heard of for {context.settings.lease_seconds:g} s."
        give_up(run, attempt, "lost", detail)
        log.warning("lease_expired", run_id=run.id, attempt=attempt.number, worker=run.worker_name, status=run.status)
        runs.ring(session, context, run.id)


def take_back_unclaimed(session: Session, context: Context) -> None:
    """A message that nobody acted on may be lost; the run is queued, and so sent, again."""
    since = clock.now() - timedelta(seconds=context.settings.redispatch_seconds)
    for run in repository.unclaimed_since(session, since):
        move(run, RunStatus.QUEUED, clock.now())
        log.info("dispatch_unclaimed", run_id=run.id)
        runs.ring(session, context, run.id)


def idle_workers(session: Session, context: Context) -> list[Worker]:
    """Those that no message on its way will keep busy."""
    idle = workers.idle(session, context)
    for device in repository.dispatched_devices(session):
        _take(idle, lambda worker, device=device: worker.device == device)
    return idle


def choose(session: Session, context: Context, idle: list[Worker]) -> list[Dispatch]:
    """Marks as many runs as idle workers can take, the oldest first. They are to be sent after the commit.

    Takes these workers out of `idle`.
    """
    chosen: list[Dispatch] = []
    for run in repository.waiting(session, _LOOKAHEAD) if idle else ():
        worker = _take(idle, lambda worker, run=run: find_lacking(worker, run.experiment) is None)
        if worker is not None:
            dispatch = Dispatch(run.id, cast(DeviceKind, worker.device), clock.now())
            if _mark(session, dispatch):
                chosen.append(dispatch)
                runs.ring(session, context, run.id)
    return chosen


def _take(idle: list[Worker], fits: Callable[[Worker], bool]) -> Worker | None:
    for worker in idle:
        if fits(worker):
            idle.remove(worker)
            return worker
    return None


def _mark(session: Session, dispatch: Dispatch) -> bool:
    return move_if_waiting(
        session,
        dispatch.run_id,
        RunStatus.DISPATCHED,
        dispatch.at,
        dispatched_at=dispatch.at,
        dispatched_to=dispatch.device,
    )


def take_back(session: Session, context: Context, dispatch: Dispatch) -> None:
    """The message could not be sent."""
    run = runs_repository.lock(session, dispatch.run_id)
    if run.status == RunStatus.DISPATCHED and run.dispatched_at == dispatch.at:
        move(run, RunStatus.QUEUED, clock.now())
        runs.ring(session, context, run.id)
