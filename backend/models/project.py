"""A project: whose members see the same experiments and share its part of the queue."""

from datetime import datetime

from sqlalchemy import Double, ForeignKey, String, false
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base

DEFAULT_PROJECT = 1
"""Holds what a service without accounts stores; a migration creates it."""


class Project(Base):
    __tablename__ = "projects"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    weight: Mapped[float] = mapped_column(Double, default=1.0, server_default="1")
    """Its share of the devices, relative to other projects'."""
    max_running: Mapped[int | None] = mapped_column(default=None)
    """Devices that its jobs may occupy at once; None for no limit."""
    weekly_device_hours: Mapped[float | None] = mapped_column(Double, default=None)
    """Device-hours within any seven days; None for no limit."""
    allows_preemption: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Its jobs may be asked to hand back at a checkpoint for one of a higher class."""
    checkpoints_kept: Mapped[int | None] = mapped_column(default=None)
    """Of the newest checkpoints of a run, at most so many stay, whatever its spec asks for; None for no limit."""


class Membership(Base):
    """What a user may do in a project."""

    __tablename__ = "memberships"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(10))
    """A `Role`."""
