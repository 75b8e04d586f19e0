"""A group: experiments that were submitted together, from one document."""

from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base
from phylon.backend.models.deletable import Deletable
from phylon.backend.models.project import Project
from phylon.backend.models.user import User

if TYPE_CHECKING:
    from phylon.backend.models.experiment import Experiment


class Group(Deletable, Base):
    __tablename__ = "groups"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    owner_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    description: Mapped[str] = mapped_column(Text)
    yaml: Mapped[str] = mapped_column(Text)
    """As it was submitted, comments included."""
    created_at: Mapped[datetime] = mapped_column(Timestamp)

    owner: Mapped[User] = relationship()
    project: Mapped[Project] = relationship()
    experiments: Mapped[list["Experiment"]] = relationship(
        back_populates="group", lazy="raise", order_by="Experiment.id", cascade="all"
    )
    """Without `delete-orphan`: most experiments have no group."""
