"""Queries about lineage spans."""

import json
from typing import NamedTuple

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from phylon.backend.models import Span
from phylon.contract.events import Diverged, Lineage


class Birth(NamedTuple):
    """A span, as far as descent is concerned."""

    slot: int
    parent: int | None
    step: int
    lives: bool


def add(session: Session, run_id: int, event: Lineage) -> None:
    """The members that are born end the span that lived in their slot."""
    slots = [span.slot for span in event.spans]
    session.execute(
        update(Span)
        .where(Span.run_id == run_id, Span.slot.in_(slots), Span.end_seq.is_(None))
        .values(end_step=event.step, end_seq=event.seq)
    )
    born = {"run_id": run_id, "seq": event.seq, "start_step": event.step, "start_wall": event.wall}
    # Through JSON, because there NaN is a string, which every database keeps.
    rows = [born | json.loads(span.model_dump_json()) for span in event.spans]
    for row, span in zip(rows, event.spans, strict=True):
        row |= {"fitness": span.fitness, "parent_fitness": span.parent_fitness}
    if rows:
        session.execute(insert(Span), rows)


def mark_diverged(session: Session, run_id: int, event: Diverged) -> None:
    divergence = json.loads(event.model_dump_json(include={"step", "metric", "value"}))  # with NaN as text
    session.execute(
        update(Span)
        .where(Span.run_id == run_id, Span.id == event.span)
        .values(diverged=divergence, diverged_seq=event.seq)
    )


def diverged_members(session: Session, run_id: int) -> list[int]:
    """Those that nobody has replaced since."""
    statement = select(Span.slot).where(Span.run_id == run_id, Span.diverged_seq.is_not(None), Span.end_seq.is_(None))
    return list(session.scalars(statement.order_by(Span.slot)))


def cut(session: Session, run_id: int, from_seq: int) -> None:
    session.execute(delete(Span).where(Span.run_id == run_id, Span.seq >= from_seq))
    session.execute(
        update(Span).where(Span.run_id == run_id, Span.end_seq >= from_seq).values(end_step=None, end_seq=None)
    )
    forgotten = update(Span).where(Span.run_id == run_id, Span.diverged_seq >= from_seq)
    session.execute(forgotten.values(diverged=None, diverged_seq=None))


def of_run(session: Session, run_id: int) -> list[Span]:
    return list(session.scalars(select(Span).where(Span.run_id == run_id).order_by(Span.id)))


def births(session: Session, run_id: int) -> dict[int, Birth]:
    """All of the run, by span."""
    statement = select(Span.id, Span.slot, Span.parent, Span.start_step, Span.end_seq).where(Span.run_id == run_id)
    return {id: Birth(slot, parent, step, end is None) for id, slot, parent, step, end in session.execute(statement)}
