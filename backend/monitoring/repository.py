"""The queries behind the gauges: few, each over an index, and none over history."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from phylon.backend.models import Job, Project, WebhookDelivery, Worker
from phylon.contract.vocabulary import HELD, JobStatus

_WAITING = (JobStatus.QUEUED, JobStatus.DISPATCHED)


class Waiting(NamedTuple):
    priority: str
    project: str
    jobs: int
    oldest: datetime


class Held(NamedTuple):
    worker_id: int | None
    slots: int
    claimed_since: datetime | None
    lease_expires_at: datetime | None


def waiting(session: Session) -> list[Waiting]:
    statement = (
        select(Job.priority, Project.name, func.count(), func.min(Job.created_at))
        .join(Project, Project.id == Job.project_id)
        .where(Job.status.in_(_WAITING))
        .group_by(Job.priority, Project.name)
    )
    return [Waiting(*row) for row in session.execute(statement)]


def held(session: Session) -> list[Held]:
    """Jobs that occupy slots: those that run, and those on their way to a worker."""
    statement = select(Job.worker_id, Job.devices, Job.started_at, Job.lease_expires_at)
    return [Held(*row) for row in session.execute(statement.where(Job.status.in_(HELD)))]


def workers(session: Session, since: datetime) -> list[Worker]:
    return list(session.scalars(select(Worker).where(Worker.last_seen_at >= since)))


def undelivered(session: Session) -> int:
    statement = select(func.count()).where(WebhookDelivery.next_try_at.is_not(None))
    return session.scalar(statement) or 0
