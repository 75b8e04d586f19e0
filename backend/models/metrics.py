"""The metrics of a run: ticks as they came, rows of compacted columns with their pyramid, and what they amount to.

`backend.metrics.grid` says which ticks lie in which row.
"""

from sqlalchemy import BigInteger, Double, ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import RealNumber
from phylon.backend.models.base import Base

_NAME = 200


def _run() -> Mapped[int]:
    return mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)


def _number() -> Mapped[int]:
    return mapped_column(BigInteger, primary_key=True, autoincrement=False)


class MetricTick(Base):
    """A tick that is not compacted yet, with all of its names."""

    __tablename__ = "metric_ticks"

    run_id: Mapped[int] = _run()
    seq: Mapped[int] = _number()
    step: Mapped[int] = mapped_column(BigInteger)
    wall: Mapped[float] = mapped_column(Double)
    data: Mapped[bytes] = mapped_column(LargeBinary)
    """See `backend.metrics.frames`."""


class MetricAxis(Base):
    """Where the ticks (level 0) or buckets (above) of one row lie. Looked up by event, by step and by time."""

    __tablename__ = "metric_axes"
    __table_args__ = (
        Index(None, "run_id", "level", "last_seq"),
        Index(None, "run_id", "level", "last_step"),
        Index(None, "run_id", "level", "last_wall"),
    )

    run_id: Mapped[int] = _run()
    level: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    row: Mapped[int] = _number()
    ticks: Mapped[int] = mapped_column(BigInteger)
    last_seq: Mapped[int] = mapped_column(BigInteger)
    last_step: Mapped[int] = mapped_column(BigInteger)
    last_wall: Mapped[float] = mapped_column(Double)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class MetricColumn(Base):
    """One name in the ticks (level 0) or buckets (above) of one row."""

    __tablename__ = "metric_columns"

    run_id: Mapped[int] = _run()
    name: Mapped[str] = mapped_column(String(_NAME), primary_key=True)
    level: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    row: Mapped[int] = _number()
    data: Mapped[bytes] = mapped_column(LargeBinary)
    """See `backend.metrics.columns`."""


class MetricSummary(Base):
    """What one name has come to, so that no list needs to read history."""

    __tablename__ = "metric_summaries"

    run_id: Mapped[int] = _run()
    name: Mapped[str] = mapped_column(String(_NAME), primary_key=True)
    first_seq: Mapped[int] = mapped_column(BigInteger)
    """The event that brought the name first."""
    ticks: Mapped[int] = mapped_column(BigInteger)
    last_step: Mapped[int] = mapped_column(BigInteger)
    last: Mapped[float] = mapped_column(RealNumber)
    """The greatest value of a member at the newest tick."""
    low: Mapped[float] = mapped_column(RealNumber)
    high: Mapped[float] = mapped_column(RealNumber)
    """The least and the greatest value of any member at any tick; NaN where there was no number."""
    newest: Mapped[bytes] = mapped_column(LargeBinary)
    """The values at the newest tick: float32, little-endian, one per member."""
