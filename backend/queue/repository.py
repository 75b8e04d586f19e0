"""Queries about the queue."""

from datetime import datetime

from sqlalchemy import case, select, text
from sqlalchemy.orm import Session

from phylon.backend.jobs.kinds import KINDS
from phylon.backend.jobs.status import HELD, JobStatus
from phylon.backend.models import Job

_SCHEDULER_LOCK = 0x9471_0A


def take_turn(session: Session) -> bool:
    """One scheduler at a time: on Postgres by this lock until the transaction ends; SQLite has one writer anyway."""
    if session.get_bind().dialect.name != "postgresql":
        return True
    return bool(session.scalar(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _SCHEDULER_LOCK}))


def with_expired_lease(session: Session, now: datetime) -> list[Job]:
    """Locked. One whose heartbeat is being taken right now is left to it."""
    statement = select(Job).where(Job.status.in_(HELD), Job.lease_expires_at < now).order_by(Job.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def unclaimed_since(session: Session, then: datetime) -> list[Job]:
    """Locked."""
    statement = select(Job).where(Job.status == JobStatus.DISPATCHED, Job.dispatched_at < then).order_by(Job.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def dispatched_devices(session: Session) -> list[str]:
    """The queues that hold a message which an idle worker is about to take, one entry per job."""
    devices = session.scalars(select(Job.dispatched_to).where(Job.status == JobStatus.DISPATCHED))
    return [device for device in devices if device is not None]


def waiting(session: Session, limit: int) -> list[Job]:
    """By kind, then the oldest first. A job that came back keeps its place."""
    precedence = case({name: place for place, name in enumerate(KINDS)}, value=Job.kind)
    statement = select(Job).where(Job.status == JobStatus.QUEUED).order_by(precedence, Job.id).limit(limit)
    return list(session.scalars(statement))
