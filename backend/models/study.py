"""A runtime study, the lease under which a worker holds it, and what it measured."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base


class Study(Base):
    __tablename__ = "studies"
    __table_args__ = (Index(None, "status", "id"), NUMBERED)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    description: Mapped[str] = mapped_column(Text)
    spec: Mapped[dict[str, Any]]
    total: Mapped[int]
    """Cells to measure."""
    done: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    machine: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """Where it was measured; None before anyone began."""

    status: Mapped[str] = mapped_column(String(20))
    """Changed by `backend.runs.status` alone: a study lives as a run does."""
    wanted_worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"), default=None)
    """Only this worker may take it; any may where it is None."""
    dispatched_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    dispatched_to: Mapped[str | None] = mapped_column(String(10), default=None)
    attempt: Mapped[int] = mapped_column(default=0)
    """Number of the newest attempt: the fence that every write of a worker must name."""
    lost_attempts: Mapped[int] = mapped_column(default=0)
    worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"), default=None, index=True)
    worker_name: Mapped[str | None] = mapped_column(String(200), default=None)
    lease_expires_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    started_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    finished_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    progress: Mapped[str | None] = mapped_column(Text, default=None)
    """What happens now, in words."""
    error: Mapped[str | None] = mapped_column(Text, default=None)


class StudyMeasurement(Base):
    """One cell, in the order in which the worker told them."""

    __tablename__ = "study_measurements"

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    content: Mapped[dict[str, Any]]
    """As `phylon.study.Measurement` writes it."""
