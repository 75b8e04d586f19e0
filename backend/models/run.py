"""A run: one population of an experiment. The payload of a job."""

from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, BigInteger, ForeignKey, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey, RealNumber
from phylon.backend.models.base import NUMBERED, Base
from phylon.backend.models.deletable import Deletable
from phylon.backend.models.job import Job

if TYPE_CHECKING:
    from phylon.backend.models.experiment import Experiment


class Run(Deletable, Base):
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

    extended_budget: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """A `BudgetSpec` as JSON, in place of that of the experiment's spec."""

    step: Mapped[int] = mapped_column(BigInteger, default=0)
    best_return: Mapped[float | None] = mapped_column(RealNumber, default=None)
    last_return: Mapped[float | None] = mapped_column(RealNumber, default=None)
    median_return: Mapped[float | None] = mapped_column(RealNumber, default=None)
    final: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """The winner's return in the final evaluation: a `FinalReturn` as JSON."""
    sparkline: Mapped[bytes] = mapped_column(LargeBinary, default=b"", server_default="")
    """The best return of each group of evaluations, as float32; see `backend.metrics.sparkline`."""
    evaluations: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    env_steps_per_second: Mapped[float | None] = mapped_column(RealNumber, default=None)
    strategy: Mapped[str | None] = mapped_column(String(50), default=None)
    strategy_explanation: Mapped[str | None] = mapped_column(Text, default=None)
    devices: Mapped[list[str]] = mapped_column(default=list)
    interruptions: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list, server_default="[]")
    """`step` and `reason` of each; see `phylon.contract.runs.Interruption`."""
    diverged_members: Mapped[list[int]] = mapped_column(JSON, default=list, server_default="[]")
    end_reason: Mapped[str | None] = mapped_column(String(20), default=None)

    job: Mapped[Job] = relationship(lazy="joined", innerjoin=True, cascade="all, delete-orphan", single_parent=True)
    experiment: Mapped["Experiment"] = relationship(back_populates="runs", lazy="raise")
