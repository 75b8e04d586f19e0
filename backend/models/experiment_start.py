"""A run that an experiment's founders come from, so that both know of each other."""

from sqlalchemy import BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.models.base import Base


class ExperimentStart(Base):
    __tablename__ = "experiment_starts"

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Among its sources."""
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"), index=True)
    """None once it was deleted: what was taken from it was copied."""
    name: Mapped[str] = mapped_column(String(100))
    """Of the experiment that the run belonged to."""
    step: Mapped[int] = mapped_column(BigInteger)
    members: Mapped[list[int]]
