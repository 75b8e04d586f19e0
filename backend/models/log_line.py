"""What a job's process and its supervisor printed. Belongs to an attempt and is never cut back."""

from datetime import datetime

from sqlalchemy import Double, ForeignKeyConstraint, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base


class LogLine(Base):
    __tablename__ = "log_lines"
    __table_args__ = (
        UniqueConstraint("job_id", "attempt", "line"),
        ForeignKeyConstraint(["job_id", "attempt"], ["attempts.job_id", "attempts.number"], ondelete="CASCADE"),
        Index(None, "job_id", "id"),
        NUMBERED,
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    """Grows with time within a job: its writers take turns."""
    job_id: Mapped[int] = mapped_column(BigKey)
    attempt: Mapped[int]
    rank: Mapped[int] = mapped_column(default=0, server_default="0")
    """Who of a gang printed it."""
    line: Mapped[int]
    """Its place in the attempt's log, in which the lines of all ranks lie as they came."""
    wall: Mapped[float] = mapped_column(Double)
    stream: Mapped[str] = mapped_column(String(20))
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(Timestamp)
