"""Queries about lineage spans."""

import json

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from phylon.backend.models import Span
from phylon.contract.events import Lineage


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


def cut(session: Session, run_id: int, from_seq: int) -> None:
    session.execute(delete(Span).where(Span.run_id == run_id, Span.seq >= from_seq))
    session.execute(
        update(Span).where(Span.run_id == run_id, Span.end_seq >= from_seq).values(end_step=None, end_seq=None)
    )


def of_run(session: Session, run_id: int) -> list[Span]:
    return list(session.scalars(select(Span).where(Span.run_id == run_id).order_by(Span.id)))
