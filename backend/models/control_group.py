"""A group whose experiments are the controls of a run's tuning."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.models.base import Base


class ControlGroup(Base):
    __tablename__ = "control_groups"

    group_id: Mapped[int] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), index=True)
    """Whose winner's values are followed."""
