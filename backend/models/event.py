"""The history of a job, gap-free by `seq`."""

from sqlalchemy import BigInteger, Double, ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.models.base import Base


class Event(Base):
    __tablename__ = "events"

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    attempt: Mapped[int]
    kind: Mapped[str] = mapped_column(String(20))
    step: Mapped[int] = mapped_column(BigInteger)
    """How far the job had come: environment steps of each member, or cells of a study."""
    wall: Mapped[float] = mapped_column(Double)
    payload: Mapped[str | None] = mapped_column(Text)
    """The event as JSON; `None` for metrics, whose frames are rows of their own."""
