"""An attempt: one worker's time with a job."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, text, true
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import Timestamp
from phylon.backend.models.base import Base


class Attempt(Base):
    __tablename__ = "attempts"
    __table_args__ = (
        Index(
            "ix_attempts_uncharged", "job_id", sqlite_where=text("charged = 0"), postgresql_where=text("NOT charged")
        ),
    )

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"), index=True)
    claimed_at: Mapped[datetime] = mapped_column(Timestamp, index=True)
    ended_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None, index=True)
    end: Mapped[str | None] = mapped_column(String(20), default=None)
    """An outcome (`finished`, `stopped`, `failed`), or why there was none (`crashed`, `lost`, `worker_shutdown`,
    `yielded`)."""
    progress_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    """When it last stored something that later attempts build on."""
    detail: Mapped[str | None] = mapped_column(Text, default=None)
    rewound_to: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """The event number it resumed at: what older attempts reported from there on is void."""
    checkpoint: Mapped[str | None] = mapped_column(String(200), default=None)
    """The file that it went on from; None where it started from the beginning."""
    from_step: Mapped[int | None] = mapped_column(BigInteger, default=None)
    to_step: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """Of the newest event that it reported."""
    outcome: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """What its outcome event said, kept when a later attempt cuts that event off."""
    next_log_line: Mapped[int] = mapped_column(default=0)
    charged: Mapped[bool] = mapped_column(default=False, server_default=true())
    """Whether its owner's `Usage` has it. What ended before there were shares counts as charged."""
