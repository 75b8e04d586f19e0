"""Queries about the queue."""

from datetime import datetime

from sqlalchemy import select, text
from sqlalchemy.orm import Session, joinedload

from phylon.backend.models import Run, Study
from phylon.backend.runs.status import HELD, RunStatus

_SCHEDULER_LOCK = 0x9471_0A


def take_turn(session: Session) -> bool:
    """One scheduler at a time: on Postgres by this lock until the transaction ends; SQLite has one writer anyway."""
    if session.get_bind().dialect.name != "postgresql":
        return True
    return bool(session.scalar(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _SCHEDULER_LOCK}))


def with_expired_lease(session: Session, now: datetime) -> list[Run]:
    """Locked. One whose heartbeat is being taken right now is left to it."""
    return list(
        session.scalars(
            select(Run)
            .where(Run.status.in_(HELD), Run.lease_expires_at < now)
            .order_by(Run.id)
            .with_for_update(skip_locked=True)
        )
    )


def unclaimed_since(session: Session, then: datetime) -> list[Run]:
    """Locked."""
    return list(
        session.scalars(
            select(Run)
            .where(Run.status == RunStatus.DISPATCHED, Run.dispatched_at < then)
            .order_by(Run.id)
            .with_for_update(skip_locked=True)
        )
    )


def dispatched_devices(session: Session) -> list[str]:
    """The queues that hold a message which an idle worker is about to take, one entry a run or study."""
    runs = session.scalars(select(Run.dispatched_to).where(Run.status == RunStatus.DISPATCHED))
    studies = session.scalars(select(Study.dispatched_to).where(Study.status == RunStatus.DISPATCHED))
    return [device for device in (*runs, *studies) if device is not None]


def waiting(session: Session, limit: int) -> list[Run]:
    """The oldest first, with their experiments. A run that came back keeps its place."""
    return list(
        session.scalars(
            select(Run)
            .where(Run.status == RunStatus.QUEUED)
            .options(joinedload(Run.experiment))
            .order_by(Run.id)
            .limit(limit)
        )
    )
