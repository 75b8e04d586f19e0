"""A runtime study and what it measured. The payload of a job."""

from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.models.base import Base
from phylon.backend.models.payload import Payload


class Study(Payload, Base):
    __tablename__ = "studies"
    kind = "study"

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


class StudyMeasurement(Base):
    """One cell, in the order in which the worker measured them."""

    __tablename__ = "study_measurements"

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    content: Mapped[dict[str, Any]]
    """As `phylon.study.Measurement` writes it."""
