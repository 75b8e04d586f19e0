"""Queries about metric frames."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from phylon.backend.metrics.frames import pack
from phylon.backend.models import MetricFrame
from phylon.contract.events import Metrics


class Column(NamedTuple):
    """All ticks of one name, in order."""

    steps: list[int]
    wall: list[float]
    data: list[bytes]


def add(session: Session, run_id: int, events: Iterable[Metrics]) -> None:
    rows = [
        {"run_id": run_id, "seq": event.seq, "name": name, "step": event.step, "wall": event.wall, "data": pack(values)}
        for event in events
        for name, values in event.frames.items()
    ]
    if rows:
        session.execute(insert(MetricFrame), rows)


def cut(session: Session, run_id: int, from_seq: int) -> None:
    session.execute(delete(MetricFrame).where(MetricFrame.run_id == run_id, MetricFrame.seq >= from_seq))


def names(session: Session, run_id: int) -> list[str]:
    statement = select(MetricFrame.name).where(MetricFrame.run_id == run_id).distinct().order_by(MetricFrame.name)
    return list(session.scalars(statement))


def column(session: Session, run_id: int, name: str) -> Column:
    rows = session.execute(
        select(MetricFrame.step, MetricFrame.wall, MetricFrame.data)
        .where(MetricFrame.run_id == run_id, MetricFrame.name == name)
        .order_by(MetricFrame.seq)
    ).all()
    return Column([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


def of_events(session: Session, run_id: int, seqs: Sequence[int]) -> list[MetricFrame]:
    """The frames of these events, sorted by event and name."""
    statement = (
        select(MetricFrame)
        .where(MetricFrame.run_id == run_id, MetricFrame.seq.in_(seqs))
        .order_by(MetricFrame.seq, MetricFrame.name)
    )
    return list(session.scalars(statement))


def last(session: Session, run_id: int, name: str) -> bytes | None:
    return session.scalar(
        select(MetricFrame.data)
        .where(MetricFrame.run_id == run_id, MetricFrame.name == name)
        .order_by(MetricFrame.seq.desc())
        .limit(1)
    )
