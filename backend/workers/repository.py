"""Queries about workers."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.jobs import ranks
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Attempt, Job, Worker
from phylon.backend.payloads.repository import NAME, NUMBER, joined


class BusyTime(NamedTuple):
    """An attempt's time with a worker."""

    slots: int
    start: datetime
    end: datetime | None


def get(session: Session, worker_id: int) -> Worker:
    worker = session.get(Worker, worker_id)
    if worker is None:
        raise NotFound("worker", worker_id)
    return worker


def reported_environments(session: Session, since: datetime) -> list[list[dict[str, Any]]]:
    """Of each worker that was seen since then and may still work."""
    is_known = (Worker.last_seen_at >= since, Worker.revoked_at.is_(None))
    return list(session.scalars(select(Worker.environments).where(*is_known).order_by(Worker.id)))


def lock(session: Session, worker_id: int) -> Worker:
    """Changed by nobody else until this transaction ends."""
    worker = session.scalar(
        select(Worker).where(Worker.id == worker_id).with_for_update().execution_options(populate_existing=True)
    )
    if worker is None:
        raise NotFound("worker", worker_id)
    return worker


def id_of_credential(session: Session, sha256: str) -> int | None:
    """Of one that counts."""
    return session.scalar(select(Worker.id).where(Worker.credential_sha256 == sha256, Worker.revoked_at.is_(None)))


def newest_without_credential(session: Session, name: str) -> Worker | None:
    """A worker of that name from a release in which workers had no credentials."""
    return session.scalar(
        select(Worker)
        .where(Worker.name == name, Worker.credential_sha256.is_(None))
        .order_by(Worker.last_seen_at.desc(), Worker.id.desc())
        .limit(1)
    )


def seen_since(session: Session, since: datetime) -> list[Worker]:
    """Those whose credential counts."""
    statement = select(Worker).where(Worker.last_seen_at >= since, Worker.revoked_at.is_(None))
    return list(session.scalars(statement.order_by(Worker.id)))


def present_since(session: Session, since: datetime) -> list[Worker]:
    statement = select(Worker).where(
        Worker.last_seen_at >= since, Worker.left_at.is_(None), Worker.revoked_at.is_(None)
    )
    return list(session.scalars(statement.order_by(Worker.id)))


def quarantined(session: Session) -> frozenset[int]:
    return frozenset(session.scalars(select(Worker.id).where(Worker.quarantined_at.is_not(None))))


def payloads(session: Session, viewer: Viewer, job_ids: Iterable[int]) -> dict[int, tuple[str, int, str]]:
    """The kind of each of these jobs, and number and name of its run, study or evaluation. What is deleted, or not the
    viewer's to see, is left out."""
    statement = joined(select(Job.id, Job.kind, NUMBER, NAME)).where(Job.id.in_(list(job_ids)))
    return {job_id: (kind, id, name) for job_id, kind, id, name in session.execute(visible(statement, viewer, Job))}


def busy_times(session: Session, worker_id: int, since: datetime) -> list[BusyTime]:
    statement = (
        select(Job.devices // Job.hosts, Attempt.claimed_at, Attempt.ended_at)
        .join(Job, Job.id == Attempt.job_id)
        .where(Attempt.worker_id == worker_id, or_(Attempt.ended_at.is_(None), Attempt.ended_at > since))
    )
    of_gangs = ranks.busy_times(session, worker_id, since)
    return [BusyTime(*row) for row in session.execute(statement)] + [BusyTime(*row) for row in of_gangs]
