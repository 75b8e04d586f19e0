"""Queries about workers."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Run, Study, Worker
from phylon.backend.runs.status import HELD


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
    """The run that each busy worker holds, by worker."""
    rows = session.execute(select(Run.worker_id, Run.id).where(Run.status.in_(HELD), Run.worker_id.is_not(None)))
    return {worker_id: run_id for worker_id, run_id in rows if worker_id is not None}


def held_job(session: Session, worker_id: int) -> str | None:
    """What the worker is busy with, in words: `run 3`, `study 1`."""
    for noun, table in (("run", Run), ("study", Study)):
        held = session.scalar(select(table.id).where(table.worker_id == worker_id, table.status.in_(HELD)).limit(1))
        if held is not None:
            return f"{noun} {held}"
    return None


def with_study(session: Session) -> set[int]:
    """The workers that hold a runtime study."""
    rows = session.scalars(select(Study.worker_id).where(Study.status.in_(HELD), Study.worker_id.is_not(None)))
    return {worker_id for worker_id in rows if worker_id is not None}
