"""A saved view of the experiments table: what it asks for, and how it is shown."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base
from phylon.backend.models.project import Project
from phylon.backend.models.user import User


class View(Base):
    __tablename__ = "views"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    """Whose members see it; None for its owner alone."""
    name: Mapped[str] = mapped_column(String(100))
    query: Mapped[str] = mapped_column(Text)
    layout: Mapped[dict[str, Any]]
    """A `ViewLayout` as JSON."""
    created_at: Mapped[datetime] = mapped_column(Timestamp)

    owner: Mapped[User] = relationship(lazy="joined")
    project: Mapped[Project | None] = relationship(lazy="joined")
