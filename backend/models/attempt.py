"""An attempt: one worker's time with a job."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import Timestamp
from phylon.backend.models.base import Base


class Attempt(Base):
    __tablename__ = "attempts"

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"), index=True)
    claimed_at: Mapped[datetime] = mapped_column(Timestamp)
    ended_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    end: Mapped[str | None] = mapped_column(String(20), default=None)
    """An outcome (`finished`, `stopped`, `failed`), or why there was none (`crashed`, `worker_shutdown`, `lost`)."""
    detail: Mapped[str | None] = mapped_column(Text, default=None)
    rewound_to: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """The event number it resumed at: what older attempts reported from there on is void."""
    next_log_line: Mapped[int] = mapped_column(default=0)
