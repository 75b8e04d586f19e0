"""The history of a run, gap-free by `seq`."""

from sqlalchemy import BigInteger, Double, ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.models.base import Base


class Event(Base):
    __tablename__ = "events"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    attempt: Mapped[int]
    kind: Mapped[str] = mapped_column(String(20))
    step: Mapped[int] = mapped_column(BigInteger)
    wall: Mapped[float] = mapped_column(Double)
    payload: Mapped[str | None] = mapped_column(Text)
    """The event as JSON; `None` for metrics, whose frames are rows of their own."""
