"""Queries about workers."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from phylon.backend.jobs.status import HELD
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Job, Run, Worker


def get(session: Session, worker_id: int) -> Worker:
    worker = session.get(Worker, worker_id)
    if worker is None:
        raise NotFound("worker", worker_id)
    return worker


def newest_silent(session: Session, name: str, since: datetime) -> Worker | None:
    """A worker of that name that nobody has heard of since then."""
    return session.scalar(
        select(Worker)
        .where(Worker.name == name, Worker.last_seen_at < since)
        .order_by(Worker.last_seen_at.desc(), Worker.id.desc())
        .limit(1)
    )


def seen_since(session: Session, since: datetime) -> list[Worker]:
    return list(session.scalars(select(Worker).where(Worker.last_seen_at >= since).order_by(Worker.id)))


def held_runs(session: Session) -> dict[int, int]:
    """The run that each worker with a run holds."""
    statement = select(Job.worker_id, Run.id).join(Run, Run.job_id == Job.id).where(Job.status.in_(HELD))
    return {worker_id: run_id for worker_id, run_id in session.execute(statement) if worker_id is not None}
