"""An experiment: a spec that someone submitted."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base

if TYPE_CHECKING:
    from phylon.backend.models.group import Group
    from phylon.backend.models.run import Run


class Experiment(Base):
    __tablename__ = "experiments"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    spec: Mapped[dict[str, Any]]
    yaml: Mapped[str] = mapped_column(Text)
    """As it was submitted, comments included."""
    suite: Mapped[str] = mapped_column(String(50))
    environment: Mapped[str] = mapped_column(String(200))
    algorithm: Mapped[str] = mapped_column(String(50))
    method: Mapped[str] = mapped_column(String(50))
    population_size: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id"), index=True)

    group: Mapped["Group | None"] = relationship(back_populates="experiments", lazy="raise")
    runs: Mapped[list["Run"]] = relationship(
        back_populates="experiment",
        lazy="raise",
        order_by="Run.replicate",
        cascade="all, delete-orphan",
        passive_deletes=True,
    )
