"""Queries about lineage segments."""

import json

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from backend.models import Segment
from phylon.events import Lineage


def add(session: Session, run_id: int, event: Lineage) -> None:
    """The members that are born end the segment that lived in their slot."""
    slots = [segment.slot for segment in event.segments]
    session.execute(
        update(Segment)
        .where(Segment.run_id == run_id, Segment.slot.in_(slots), Segment.end_seq.is_(None))
        .values(end_step=event.step, end_seq=event.seq)
    )
    born = {"run_id": run_id, "seq": event.seq, "start_step": event.step, "start_wall": event.wall}
    # Through JSON, because there NaN is a string, which every database keeps.
    rows = [born | json.loads(segment.model_dump_json()) for segment in event.segments]
    for row, segment in zip(rows, event.segments, strict=True):
        row |= {"fitness": segment.fitness, "parent_fitness": segment.parent_fitness}
    if rows:
        session.execute(insert(Segment), rows)


def cut(session: Session, run_id: int, from_seq: int) -> None:
    session.execute(delete(Segment).where(Segment.run_id == run_id, Segment.seq >= from_seq))
    session.execute(
        update(Segment).where(Segment.run_id == run_id, Segment.end_seq >= from_seq).values(end_step=None, end_seq=None)
    )


def of_run(session: Session, run_id: int) -> list[Segment]:
    return list(session.scalars(select(Segment).where(Segment.run_id == run_id).order_by(Segment.id)))
