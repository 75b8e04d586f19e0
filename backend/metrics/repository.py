"""Queries about metrics. What the rows mean is known to `backend.metrics.history`."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from phylon.backend.metrics.columns import Axis, decode_axis
from phylon.backend.metrics.frames import Frame, pack_tick, unpack_tick
from phylon.backend.metrics.grid import ENTRIES
from phylon.backend.models import MetricAxis, MetricColumn, MetricSummary, MetricTick

_WITHOUT_SYNC: dict[str, Any] = {"synchronize_session": False}


class Tick(NamedTuple):
    seq: int
    step: int
    wall: float
    frames: dict[str, Frame]


class AxisRow(NamedTuple):
    row: int
    axis: Axis


class ColumnRow(NamedTuple):
    name: str
    row: int
    data: bytes


def add_ticks(session: Session, run_id: int, ticks: Iterable[Tick]) -> None:
    rows = [
        {"run_id": run_id, "seq": tick.seq, "step": tick.step, "wall": tick.wall, "data": pack_tick(tick.frames)}
        for tick in ticks
    ]
    if rows:
        session.execute(insert(MetricTick), rows)


def ticks(session: Session, run_id: int) -> list[Tick]:
    """Those that are not compacted, in order."""
    statement = (
        select(MetricTick.seq, MetricTick.step, MetricTick.wall, MetricTick.data)
        .where(MetricTick.run_id == run_id)
        .order_by(MetricTick.seq)
    )
    return [Tick(seq, step, wall, unpack_tick(data)) for seq, step, wall, data in session.execute(statement)]


def count_ticks(session: Session, run_id: int) -> int:
    return session.scalar(select(func.count()).where(MetricTick.run_id == run_id)) or 0


def remove_ticks(session: Session, run_id: int, from_seq: int) -> None:
    statement = delete(MetricTick).where(MetricTick.run_id == run_id, MetricTick.seq >= from_seq)
    session.execute(statement, execution_options=_WITHOUT_SYNC)


def compacted(session: Session, run_id: int) -> int:
    """How many ticks are: all rows of level 0 are full, but for the last one of a run that has ended."""
    statement = (
        select(MetricAxis.row, MetricAxis.ticks)
        .where(MetricAxis.run_id == run_id, MetricAxis.level == 0)
        .order_by(MetricAxis.row.desc())
        .limit(1)
    )
    last = session.execute(statement).first()
    return 0 if last is None else last[0] * ENTRIES + last[1]


def add_axis(session: Session, run_id: int, level: int, row: int, ticks: int, axis: Axis, data: bytes) -> None:
    session.execute(
        insert(MetricAxis),
        {
            **{"run_id": run_id, "level": level, "row": row, "ticks": ticks, "last_seq": int(axis.seqs[-1])},
            **{"last_step": int(axis.steps[-1]), "last_wall": float(axis.walls[-1]), "data": data},
        },
    )


def axes(session: Session, run_id: int, level: int, rows: range) -> list[AxisRow]:
    statement = (
        select(MetricAxis.row, MetricAxis.data)
        .where(MetricAxis.run_id == run_id, MetricAxis.level == level)
        .where(MetricAxis.row.between(rows.start, rows.stop - 1))
        .order_by(MetricAxis.row)
    )
    return [AxisRow(row, decode_axis(data)) for row, data in session.execute(statement)]


def first_row(session: Session, run_id: int, by: Literal["seq", "step", "wall"], value: float) -> int | None:
    """The first row of level 0 whose last tick is at or beyond `value`; None where no compacted tick is."""
    column = {"seq": MetricAxis.last_seq, "step": MetricAxis.last_step, "wall": MetricAxis.last_wall}[by]
    statement = (
        select(MetricAxis.row)
        .where(MetricAxis.run_id == run_id, MetricAxis.level == 0, column >= value)
        .order_by(column, MetricAxis.row)
        .limit(1)
    )
    return session.scalar(statement)


def add_columns(session: Session, run_id: int, level: int, rows: Iterable[ColumnRow]) -> None:
    values = [{"run_id": run_id, "level": level, **row._asdict()} for row in rows]
    if values:
        session.execute(insert(MetricColumn), values)


def columns(session: Session, run_id: int, names: Sequence[str], level: int, rows: range) -> list[ColumnRow]:
    """Sorted by name and row."""
    statement = (
        select(MetricColumn.name, MetricColumn.row, MetricColumn.data)
        .where(MetricColumn.run_id == run_id, MetricColumn.name.in_(names), MetricColumn.level == level)
        .where(MetricColumn.row.between(rows.start, rows.stop - 1))
        .order_by(MetricColumn.name, MetricColumn.row)
    )
    return [ColumnRow(*row) for row in session.execute(statement)]


def newest_column(session: Session, run_id: int, name: str, before_row: int) -> ColumnRow | None:
    """The last one of level 0 that has this name, of those before that row."""
    statement = (
        select(MetricColumn.name, MetricColumn.row, MetricColumn.data)
        .where(MetricColumn.run_id == run_id, MetricColumn.name == name, MetricColumn.level == 0)
        .where(MetricColumn.row < before_row)
        .order_by(MetricColumn.row.desc())
        .limit(1)
    )
    found = session.execute(statement).first()
    return None if found is None else ColumnRow(*found)


def remove_rows(session: Session, run_id: int, names: Sequence[str], level: int, from_row: int) -> None:
    axis = delete(MetricAxis).where(MetricAxis.run_id == run_id, MetricAxis.level == level, MetricAxis.row >= from_row)
    column = delete(MetricColumn).where(
        MetricColumn.run_id == run_id,
        MetricColumn.name.in_(names),
        MetricColumn.level == level,
        MetricColumn.row >= from_row,
    )
    for statement in (axis, column):
        session.execute(statement, execution_options=_WITHOUT_SYNC)


def names(session: Session, run_id: int) -> list[str]:
    """Sorted by code points, which no database's collation changes."""
    return sorted(session.scalars(select(MetricSummary.name).where(MetricSummary.run_id == run_id)))


def summaries(session: Session, run_id: int) -> dict[str, MetricSummary]:
    rows = session.scalars(select(MetricSummary).where(MetricSummary.run_id == run_id))
    return {row.name: row for row in rows}


def newest_frames(session: Session, run_ids: Sequence[int], name: str) -> dict[int, bytes]:
    """The values of each run at the newest tick that has the name."""
    statement = select(MetricSummary.run_id, MetricSummary.newest)
    rows = session.execute(statement.where(MetricSummary.run_id.in_(run_ids), MetricSummary.name == name))
    return {run_id: newest for run_id, newest in rows}
