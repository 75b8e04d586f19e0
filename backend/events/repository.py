"""Queries about the history of a job."""

import json
from collections.abc import Sequence

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from phylon.backend.models import Event
from phylon.contract.events import Metrics
from phylon.contract.protocol import JobEvent


def add(session: Session, job_id: int, attempt: int, events: Sequence[JobEvent]) -> None:
    rows = [
        {
            "job_id": job_id,
            "seq": event.seq,
            "attempt": attempt,
            "kind": event.kind,
            "step": event.step,
            "wall": event.wall,
            "payload": None if isinstance(event, Metrics) else event.model_dump_json(),
        }
        for event in events
    ]
    if rows:
        session.execute(insert(Event), rows)


def cut(session: Session, job_id: int, from_seq: int) -> None:
    session.execute(delete(Event).where(Event.job_id == job_id, Event.seq >= from_seq))


def after(session: Session, job_id: int, seq: int, limit: int) -> list[Event]:
    statement = select(Event).where(Event.job_id == job_id, Event.seq > seq).order_by(Event.seq).limit(limit)
    return list(session.scalars(statement))


def last_step(session: Session, job_id: int) -> int:
    return session.scalar(select(func.max(Event.step)).where(Event.job_id == job_id)) or 0


def checkpoint_before(session: Session, job_id: int, seq: int) -> str | None:
    """The file of the checkpoint whose event comes right before this one; None where another event does."""
    event = session.get(Event, (job_id, seq - 1))
    return None if event is None or event.kind != "checkpoint" else str(json.loads(event.payload or "")["file"])


def attempt_of(session: Session, job_id: int, seq: int) -> int:
    """The attempt that reported this event; 0 where there is no such event."""
    return session.scalar(select(Event.attempt).where(Event.job_id == job_id, Event.seq == seq)) or 0


def has_reported(session: Session, job_id: int, attempt: int) -> bool:
    statement = select(Event.seq).where(Event.job_id == job_id, Event.attempt == attempt).limit(1)
    return session.scalar(statement) is not None


def of_kinds(session: Session, job_id: int, *kinds: str) -> list[Event]:
    """Those that the history still has, the newest first."""
    statement = select(Event).where(Event.job_id == job_id, Event.kind.in_(kinds)).order_by(Event.seq.desc())
    return list(session.scalars(statement))
