"""An evaluation: policies that play episodes on a worker, and what they earned. The payload of a job."""

from typing import Any

from sqlalchemy import BigInteger, ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.models.base import Base
from phylon.backend.models.payload import Payload


class Evaluation(Payload, Base):
    __tablename__ = "evaluations"
    kind = "evaluation"

    environment: Mapped[str | None] = mapped_column(String(200), default=None)
    """Where all policies play, as it was asked for; None where each plays where it was trained."""
    episodes: Mapped[int]
    """Of each policy."""
    seed: Mapped[int] = mapped_column(BigInteger)
    sample: Mapped[bool | None] = mapped_column(default=None)
    films: Mapped[int] = mapped_column(default=0)

    policies: Mapped[list["EvaluationPolicy"]] = relationship(
        lazy="selectin", order_by="EvaluationPolicy.place", cascade="all, delete-orphan"
    )


class EvaluationPolicy(Base):
    """One of its policies, where its weights lie, and what it played so far."""

    __tablename__ = "evaluation_policies"

    evaluation_id: Mapped[int] = mapped_column(ForeignKey("evaluations.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"), index=True)
    """None once it was deleted."""
    name: Mapped[str] = mapped_column(String(100))
    """Of its experiment."""
    choice: Mapped[str] = mapped_column(String(10))
    """`best`, `mean` or the number of a slot."""
    step: Mapped[int] = mapped_column(BigInteger)
    artifact_id: Mapped[int] = mapped_column(BigInteger)
    """A policy or a checkpoint; it may be gone by now."""
    file: Mapped[str] = mapped_column(String(200))
    sha256: Mapped[str] = mapped_column(String(64))
    loaded: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """As `phylon.contract.evaluations.LoadedPolicy` writes it."""
    returns: Mapped[list[float]] = mapped_column(default=list)
    lengths: Mapped[list[int]] = mapped_column(default=list)
    """One for each episode, in order."""
    films: Mapped[list[dict[str, Any]]] = mapped_column(default=list)
    """As `phylon.contract.evaluations.EvaluationFilm` writes them, but for the number of the artifact."""
    film_problem: Mapped[str | None] = mapped_column(Text, default=None)
