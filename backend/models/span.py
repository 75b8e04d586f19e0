"""Lineage: stretches of members' lives with constant hyper-parameters."""

from typing import Any

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import RealNumber
from phylon.backend.models.base import Base


class Span(Base):
    __tablename__ = "spans"
    __table_args__ = (Index(None, "run_id", "slot"),)

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """Numbered by the trainer, within the run."""
    seq: Mapped[int] = mapped_column(BigInteger)
    """The event that began it."""
    slot: Mapped[int]
    parent: Mapped[int | None] = mapped_column(BigInteger)
    operator: Mapped[str] = mapped_column(String(50))
    changes: Mapped[dict[str, Any]]
    hyperparams_before: Mapped[dict[str, Any] | None]
    hyperparams: Mapped[dict[str, Any]]
    fitness: Mapped[float | None] = mapped_column(RealNumber)
    parent_fitness: Mapped[float | None] = mapped_column(RealNumber)
    rank: Mapped[int | None]
    weights: Mapped[str] = mapped_column(String(200))
    reasons: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    start_step: Mapped[int] = mapped_column(BigInteger)
    start_wall: Mapped[float] = mapped_column(Double)
    end_step: Mapped[int | None] = mapped_column(BigInteger, default=None)
    end_seq: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """The event that ended it; when that event is cut back, the span lives again."""
    origin: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """Of a founder with weights from elsewhere; see `phylon.contract.events.Origin`."""
    diverged: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """`step`, `metric` and `value`; see `phylon.contract.lineage.Divergence`."""
    diverged_seq: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """The event that said so."""
