"""What the scheduler decides about studies. They take the workers that no run wants."""

from datetime import datetime, timedelta
from typing import NamedTuple, cast

import structlog
from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.models import Worker
from phylon.backend.runs.status import RunStatus, move
from phylon.backend.studies import repository
from phylon.backend.studies.attempts import give_up
from phylon.contract.protocol import DeviceKind

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_LOOKAHEAD = 50


class Dispatch(NamedTuple):
    study_id: int
    device: DeviceKind
    at: datetime


def give_up_lost(session: Session, context: Context) -> None:
    for study in repository.with_expired_lease(session, clock.now()):
        detail = f"worker {study.worker_name} was not heard of for {context.settings.lease_seconds:g} s."
        give_up(study, context.settings.max_attempts, detail)
        log.warning("study_lease_expired", study_id=study.id, worker=study.worker_name, status=study.status)


def take_back_unclaimed(session: Session, context: Context) -> None:
    since = clock.now() - timedelta(seconds=context.settings.redispatch_seconds)
    for study in repository.unclaimed_since(session, since):
        move(study, RunStatus.QUEUED, clock.now())
        log.info("study_dispatch_unclaimed", study_id=study.id)


def choose(session: Session, idle: list[Worker]) -> list[Dispatch]:
    """Marks as many studies as the workers left in `idle` can take. They are to be sent after the commit."""
    chosen: list[Dispatch] = []
    for study in repository.waiting(session, _LOOKAHEAD) if idle else ():
        worker = next((worker for worker in idle if study.wanted_worker_id in (None, worker.id)), None)
        if worker is not None:
            idle.remove(worker)
            dispatch = Dispatch(study.id, cast(DeviceKind, worker.device), clock.now())
            move(study, RunStatus.DISPATCHED, dispatch.at)
            study.dispatched_at, study.dispatched_to = dispatch.at, dispatch.device
            chosen.append(dispatch)
    return chosen


def take_back(session: Session, dispatch: Dispatch) -> None:
    """The message could not be sent."""
    study = repository.lock(session, dispatch.study_id)
    if study.status == RunStatus.DISPATCHED and study.dispatched_at == dispatch.at:
        move(study, RunStatus.QUEUED, clock.now())
