"""A run: one population of an experiment, and the lease under which a worker holds it."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey, RealNumber, Timestamp
from phylon.backend.models.base import NUMBERED, Base

if TYPE_CHECKING:
    from phylon.backend.models.experiment import Experiment


class Run(Base):
    """The progress columns repeat what the history says, so that a list of runs need not read it."""

    __tablename__ = "runs"
    __table_args__ = (UniqueConstraint("experiment_id", "replicate"), Index(None, "status", "id"), NUMBERED)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"))
    replicate: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    population_size: Mapped[int]
    total_steps: Mapped[int] = mapped_column(BigInteger)
    max_attempts: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(Timestamp)

    status: Mapped[str] = mapped_column(String(20))
    """Changed by `backend.runs.status` alone."""
    dispatched_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    dispatched_to: Mapped[str | None] = mapped_column(String(10), default=None)
    """The kind of device whose queue got the message."""
    attempt: Mapped[int] = mapped_column(default=0)
    """Number of the newest attempt: the fence that every write of a worker must name."""
    handed_back: Mapped[int] = mapped_column(default=0)
    """Attempts that a worker gave back in order; they do not count against `max_attempts`."""
    worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"), default=None, index=True)
    worker_name: Mapped[str | None] = mapped_column(String(200), default=None)
    lease_expires_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    started_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    finished_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    error: Mapped[dict[str, Any] | None] = mapped_column(default=None)

    last_seq: Mapped[int] = mapped_column(BigInteger, default=-1)
    step: Mapped[int] = mapped_column(BigInteger, default=0)
    best_return: Mapped[float | None] = mapped_column(RealNumber, default=None)
    last_return: Mapped[float | None] = mapped_column(RealNumber, default=None)
    median_return: Mapped[float | None] = mapped_column(RealNumber, default=None)
    env_steps_per_second: Mapped[float | None] = mapped_column(RealNumber, default=None)
    strategy: Mapped[str | None] = mapped_column(String(50), default=None)
    strategy_explanation: Mapped[str | None] = mapped_column(Text, default=None)
    devices: Mapped[list[str]] = mapped_column(default=list)

    experiment: Mapped["Experiment"] = relationship(back_populates="runs", lazy="raise")

    @property
    def counted_attempts(self) -> int:
        return self.attempt - self.handed_back
