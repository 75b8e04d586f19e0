"""Queries about the history of a run."""

from collections.abc import Sequence
from typing import Literal

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from phylon.backend.models import Attempt, Event
from phylon.contract.events import Metrics, RunEvent


def add(session: Session, run_id: int, attempt: int, events: Sequence[RunEvent]) -> None:
    rows = [
        {
            "run_id": run_id,
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


def cut(session: Session, run_id: int, from_seq: int) -> None:
    session.execute(delete(Event).where(Event.run_id == run_id, Event.seq >= from_seq))


def after(session: Session, run_id: int, seq: int, limit: int) -> list[Event]:
    statement = select(Event).where(Event.run_id == run_id, Event.seq > seq).order_by(Event.seq).limit(limit)
    return list(session.scalars(statement))


def last_step(session: Session, run_id: int) -> int:
    return session.scalar(select(func.max(Event.step)).where(Event.run_id == run_id)) or 0


def attempt_has_told(session: Session, run_id: int, attempt: int) -> bool:
    return (
        session.scalar(select(Event.seq).where(Event.run_id == run_id, Event.attempt == attempt).limit(1)) is not None
    )


def of_kind(session: Session, run_id: int, kind: Literal["checkpoint", "video"]) -> list[Event]:
    """Those that the history still has, the newest first."""
    statement = select(Event).where(Event.run_id == run_id, Event.kind == kind).order_by(Event.seq.desc())
    return list(session.scalars(statement))


def rewinds_since(session: Session, run_id: int, attempt: int) -> list[Attempt]:
    """Attempts after this one that cut history back."""
    statement = select(Attempt).where(
        Attempt.run_id == run_id, Attempt.number > attempt, Attempt.rewound_to.is_not(None)
    )
    return list(session.scalars(statement.order_by(Attempt.number)))
