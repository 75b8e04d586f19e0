"""A run's history in pages. Each page begins after the last row of the one before, which an index finds at once."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from phylon.backend.models import MetricFrame, Span


class Frame(NamedTuple):
    seq: int
    step: int
    wall: float
    data: bytes


def frames(session: Session, run_id: int, name: str, size: int) -> Iterator[Sequence[Frame]]:
    statement = (
        select(MetricFrame.seq, MetricFrame.step, MetricFrame.wall, MetricFrame.data)
        .where(MetricFrame.run_id == run_id, MetricFrame.name == name)
        .order_by(MetricFrame.seq)
        .limit(size)
    )
    page = [Frame(*row) for row in session.execute(statement)]
    while page:
        yield page
        page = [Frame(*row) for row in session.execute(statement.where(MetricFrame.seq > page[-1].seq))]


def spans(session: Session, run_id: int, size: int) -> Iterator[Sequence[Span]]:
    statement = select(Span).where(Span.run_id == run_id).order_by(Span.id).limit(size)
    page = list(session.scalars(statement))
    while page:
        yield page
        last = page[-1].id
        session.expunge_all()  # else the session would remember every page
        page = list(session.scalars(statement.where(Span.id > last)))
