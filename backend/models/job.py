"""A job: whatever a worker executes, and the lease under which a worker holds it. Runs and studies are payloads."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base


class Job(Base):
    __tablename__ = "jobs"
    __table_args__ = (Index(None, "status", "id"), NUMBERED)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))
    """A key of `backend.jobs.kinds.KINDS`; the payload is the row of that kind which points here."""
    status: Mapped[str] = mapped_column(String(20))
    """Changed by `backend.jobs.status` alone."""
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    max_attempts: Mapped[int]
    attempt: Mapped[int] = mapped_column(default=0)
    """Number of the newest attempt: the fence that every write of a worker must name."""
    handed_back: Mapped[int] = mapped_column(default=0)
    """Attempts that a worker gave back in order; they do not count against `max_attempts`."""
    wanted_worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"), default=None)
    """Only this worker may take it; any may where it is None."""
    dispatched_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    dispatched_to: Mapped[str | None] = mapped_column(String(10), default=None)
    """The kind of device whose queue got the message."""
    worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"), default=None, index=True)
    worker_name: Mapped[str | None] = mapped_column(String(200), default=None)
    lease_expires_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    started_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    finished_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    error: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """`message`, `remedy`, and what the payload adds to them."""

    last_seq: Mapped[int] = mapped_column(BigInteger, default=-1)
    """Number of the newest event, -1 when there is none."""
    last_seq_attempt: Mapped[int] = mapped_column(default=0)
    """The attempt that reported that event."""

    @property
    def counted_attempts(self) -> int:
        return self.attempt - self.handed_back
