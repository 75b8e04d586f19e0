"""metrics in compacted columns with a pyramid, and what they come to with each run

Frames are carried over a few hundred ticks at a time, by the code that compacts what workers report: tables of metrics
alone are read and written by it, and its rows say in which form they are.
"""

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import sqlalchemy as sa
from alembic import op
from sqlalchemy.orm import Session

from phylon.backend.kit.columns import RealNumber
from phylon.backend.metrics import history, sparkline
from phylon.backend.metrics.frames import pack, unpack
from phylon.backend.metrics.repository import Tick

revision = "0025"
down_revision = "0023"
branch_labels = None
depends_on = None

RETURN = "evaluation/return"
ROWS_AT_ONCE = 5000
ENDED = ("finished", "stopped", "failed")

FRAMES = sa.table(
    "metric_frames",
    sa.column("run_id", sa.BigInteger),
    sa.column("seq", sa.BigInteger),
    sa.column("name", sa.String),
    sa.column("step", sa.BigInteger),
    sa.column("wall", sa.Double),
    sa.column("data", sa.LargeBinary),
)
RUNS = sa.table(
    "runs",
    sa.column("id", sa.BigInteger),
    sa.column("job_id", sa.BigInteger),
    sa.column("sparkline", sa.LargeBinary),
    sa.column("evaluations", sa.BigInteger),
)
JOBS = sa.table("jobs", sa.column("id", sa.BigInteger), sa.column("status", sa.String))


def upgrade() -> None:
    _create_tables()
    op.add_column("runs", sa.Column("sparkline", sa.LargeBinary(), server_default="", nullable=False))
    op.add_column("runs", sa.Column("evaluations", sa.BigInteger(), server_default="0", nullable=False))
    with Session(op.get_bind()) as session:
        runs = session.execute(sa.select(RUNS.c.id, JOBS.c.status).where(RUNS.c.job_id == JOBS.c.id)).all()
        for run_id, status in runs:
            _carry_over(session, run_id, has_ended=status in ENDED)
            session.expunge_all()
    op.drop_index(op.f("ix_metric_frames_run_id_name_seq"), "metric_frames")
    op.drop_table("metric_frames")


def downgrade() -> None:
    op.create_table(
        "metric_frames",
        _run_id("metric_frames"),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("wall", sa.Double(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq", "name", name=op.f("pk_metric_frames")),
    )
    op.create_index(op.f("ix_metric_frames_run_id_name_seq"), "metric_frames", ["run_id", "name", "seq"])
    with Session(op.get_bind()) as session:
        for run_id in session.scalars(sa.select(RUNS.c.id)).all():
            _carry_back(session, run_id)
            session.expunge_all()
    op.drop_column("runs", "evaluations")
    op.drop_column("runs", "sparkline")
    for table in ("metric_summaries", "metric_columns", "metric_axes", "metric_ticks"):
        op.drop_table(table)


def _create_tables() -> None:
    op.create_table(
        "metric_ticks",
        _run_id("metric_ticks"),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("wall", sa.Double(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_metric_ticks")),
    )
    op.create_table(
        "metric_axes",
        _run_id("metric_axes"),
        sa.Column("level", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("row", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ticks", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("last_wall", sa.Double(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "level", "row", name=op.f("pk_metric_axes")),
    )
    for last in ("last_seq", "last_step", "last_wall"):
        op.create_index(op.f(f"ix_metric_axes_run_id_level_{last}"), "metric_axes", ["run_id", "level", last])
    op.create_table(
        "metric_columns",
        _run_id("metric_columns"),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("level", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("row", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "name", "level", "row", name=op.f("pk_metric_columns")),
    )
    op.create_table(
        "metric_summaries",
        _run_id("metric_summaries"),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("ticks", sa.BigInteger(), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("last", RealNumber(), nullable=False),
        sa.Column("low", RealNumber(), nullable=False),
        sa.Column("high", RealNumber(), nullable=False),
        sa.Column("newest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "name", name=op.f("pk_metric_summaries")),
    )


def _run_id(table: str) -> sa.Column[int]:
    key = sa.ForeignKey("runs.id", ondelete="CASCADE", name=op.f(f"fk_{table}_run_id_runs"))
    return sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), key, nullable=False)


def _carry_over(session: Session, run_id: int, has_ended: bool) -> None:
    for ticks in _ticks_of_frames(session, run_id):
        history.add(session, run_id, ticks)
    if has_ended:
        history.close(session, run_id)
    best = [np.fmax.reduce(page.values, axis=1) for page in history.pages(session, run_id, RETURN)]
    curve = sparkline.draw(np.concatenate([np.empty(0, np.float32), *best]))
    changed = {"sparkline": pack(curve.values), "evaluations": curve.evaluations}
    session.execute(sa.update(RUNS).where(RUNS.c.id == run_id).values(changed))


def _ticks_of_frames(session: Session, run_id: int) -> Iterator[list[Tick]]:
    """Some at a time, each whole."""
    statement = sa.select(FRAMES).where(FRAMES.c.run_id == run_id).order_by(FRAMES.c.seq, FRAMES.c.name)
    after = -1
    while rows := session.execute(statement.where(FRAMES.c.seq > after).limit(ROWS_AT_ONCE)).all():
        if len(rows) == ROWS_AT_ONCE and rows[0].seq != rows[-1].seq:
            rows = [row for row in rows if row.seq != rows[-1].seq]  # the last tick may have more frames
        elif len(rows) == ROWS_AT_ONCE:
            rows = session.execute(statement.where(FRAMES.c.seq == rows[0].seq)).all()
        after = rows[-1].seq
        yield [_tick(seq, list(frames)) for seq, frames in groupby(rows, key=lambda row: row.seq)]


def _tick(seq: int, frames: list[sa.Row[tuple[int, int, str, int, float, bytes]]]) -> Tick:
    return Tick(seq, frames[0].step, frames[0].wall, {row.name: unpack(row.data) for row in frames})


def _carry_back(session: Session, run_id: int) -> None:
    for ticks in history.all_ticks(session, run_id):
        rows = [
            {"run_id": run_id, "seq": tick.seq, "name": name, "step": tick.step, "wall": tick.wall, "data": pack(frame)}
            for tick in ticks
            for name, frame in tick.frames.items()
        ]
        if rows:
            session.execute(sa.insert(FRAMES), rows)
