"""A rank of a gang: one worker's part in an attempt that several have together."""

from datetime import datetime

from sqlalchemy import Double, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import Timestamp
from phylon.backend.models.base import Base


class Rank(Base):
    __tablename__ = "ranks"

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """There before the attempt is: from the dispatch on, with the number that the attempt will have."""
    rank: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"), index=True)
    slots: Mapped[list[int]]
    phase: Mapped[str] = mapped_column(String(20), default="sent", server_default="sent")
    """A `RankPhase`."""
    host: Mapped[str | None] = mapped_column(String(200), default=None)
    address: Mapped[str | None] = mapped_column(String(200), default=None)
    """Where the others find rank 0: the port that its process has chosen."""
    heard_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    """None until it was claimed. The gang's lease is that of the one who was silent for longest."""
    left: Mapped[str | None] = mapped_column(String(20), default=None)
    """Why it handed back in order, where that was its own worker's wish."""
    seconds_per_segment: Mapped[float | None] = mapped_column(Double, default=None)
    """Of its own work, without waiting for others."""
    next_log_line: Mapped[int] = mapped_column(default=0, server_default="0")
