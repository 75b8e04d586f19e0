"""A run: one population of an experiment. The payload of a job."""

from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey, RealNumber
from phylon.backend.models.base import NUMBERED, Base
from phylon.backend.models.job import Job

if TYPE_CHECKING:
    from phylon.backend.models.experiment import Experiment


class Run(Base):
    """The progress columns repeat what the history says, so that a list of runs need not read it."""

    __tablename__ = "runs"
    __table_args__ = (UniqueConstraint("experiment_id", "replicate"), UniqueConstraint("job_id"), NUMBERED)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"))
    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"))
    replicate: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    population_size: Mapped[int]
    total_steps: Mapped[int] = mapped_column(BigInteger)

    step: Mapped[int] = mapped_column(BigInteger, default=0)
    best_return: Mapped[float | None] = mapped_column(RealNumber, default=None)
    last_return: Mapped[float | None] = mapped_column(RealNumber, default=None)
    median_return: Mapped[float | None] = mapped_column(RealNumber, default=None)
    env_steps_per_second: Mapped[float | None] = mapped_column(RealNumber, default=None)
    strategy: Mapped[str | None] = mapped_column(String(50), default=None)
    strategy_explanation: Mapped[str | None] = mapped_column(Text, default=None)
    devices: Mapped[list[str]] = mapped_column(default=list)

    job: Mapped[Job] = relationship(lazy="joined", innerjoin=True, cascade="all, delete-orphan", single_parent=True)
    experiment: Mapped["Experiment"] = relationship(back_populates="runs", lazy="raise")
