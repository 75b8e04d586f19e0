"""An experiment: a spec that someone submitted."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Double, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base
from phylon.backend.models.deletable import Deletable
from phylon.backend.models.project import Project
from phylon.backend.models.user import User

if TYPE_CHECKING:
    from phylon.backend.models.experiment_value import ExperimentValue
    from phylon.backend.models.group import Group
    from phylon.backend.models.run import Run
    from phylon.backend.models.tag import Tag


class Experiment(Deletable, Base):
    __tablename__ = "experiments"
    __table_args__ = (
        # Holds what the table of experiments filters and sorts by, so that it need not read specs to do so.
        Index(
            "ix_experiments_table",
            "archived_at",
            "project_id",
            "deleted_at",
            "owner_id",
            "group_id",
            "name",
            "suite",
            "environment",
            "algorithm",
            "method",
            "population_size",
            "final_return",
            "best_return",
            "last_return",
            "created_at",
        ),
        NUMBERED,
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    owner_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
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

    # Kept from its runs by `backend.experiments.standing`, to sort and filter by. What is no number counts as none.
    final_return: Mapped[float | None] = mapped_column(Double, default=None)
    best_return: Mapped[float | None] = mapped_column(Double, default=None)
    last_return: Mapped[float | None] = mapped_column(Double, default=None)

    notes: Mapped[str] = mapped_column(Text, default="", server_default="")
    """Markdown."""
    archived_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    """Out of sight, but neither deleted nor stopped; lists show it only when asked for archived ones."""

    import_format: Mapped[str | None] = mapped_column(String(20), default=None)
    """An `ImportFormat` where it was trained elsewhere; none for what is trained here."""
    import_source: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """The `ImportSource` as JSON, of the same experiments."""

    owner: Mapped[User] = relationship()
    project: Mapped[Project] = relationship()
    group: Mapped["Group | None"] = relationship(back_populates="experiments", lazy="raise")
    runs: Mapped[list["Run"]] = relationship(
        back_populates="experiment",
        lazy="raise",
        order_by="Run.replicate",
        cascade="all, delete-orphan",
        passive_deletes=True,
    )
    tags: Mapped[list["Tag"]] = relationship(
        lazy="raise", order_by="Tag.name", cascade="all, delete-orphan", passive_deletes=True
    )
    values: Mapped[list["ExperimentValue"]] = relationship(lazy="raise", cascade="all", passive_deletes=True)
