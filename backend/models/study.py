"""A runtime study and what it measured. The payload of a job."""

from typing import Any

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey
from phylon.backend.models.base import NUMBERED, Base
from phylon.backend.models.deletable import Deletable
from phylon.backend.models.job import Job


class Study(Deletable, Base):
    __tablename__ = "studies"
    __table_args__ = (UniqueConstraint("job_id"), NUMBERED)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(100))
    description: Mapped[str] = mapped_column(Text)
    spec: Mapped[dict[str, Any]]
    total: Mapped[int]
    """Cells to measure."""
    done: Mapped[int] = mapped_column(default=0)
    machine: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """Where it was measured; None before anyone began."""
    progress: Mapped[str | None] = mapped_column(Text, default=None)
    """What the newest attempt reported last, in words."""

    job: Mapped[Job] = relationship(lazy="joined", innerjoin=True, cascade="all, delete-orphan", single_parent=True)


class StudyMeasurement(Base):
    """One cell, in the order in which the worker measured them."""

    __tablename__ = "study_measurements"

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    content: Mapped[dict[str, Any]]
    """As `phylon.study.Measurement` writes it."""
