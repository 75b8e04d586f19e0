"""A job: whatever a worker executes, and the lease under which a worker holds it. Runs and studies are payloads."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit import clock
from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base
from phylon.backend.models.deletable import Deletable
from phylon.backend.models.project import Project
from phylon.backend.models.user import User

NO_ASK = '[1, "any", null, null, [], null, null]'
"""See `backend.queue.ask`: one device of any kind."""

_IS_MOVED = "place IS NOT NULL"


class Job(Deletable, Base):
    __tablename__ = "jobs"
    __table_args__ = (
        Index(None, "status", "id"),
        # Holds all that the scheduler reads of waiting jobs.
        Index(
            "ix_jobs_waiting",
            "status",
            "project_id",
            "owner_id",
            "priority",
            "ask",
            "queued_at",
            "not_before",
            "expected_seconds",
        ),
        Index("ix_jobs_moved", "place", sqlite_where=text(_IS_MOVED), postgresql_where=text(_IS_MOVED)),
        NUMBERED,
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))
    """A key of `backend.jobs.kinds.KINDS`; the payload is the row of that kind which points here."""
    owner_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    status: Mapped[str] = mapped_column(String(20))
    """Changed by `backend.jobs.status` alone."""
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    max_attempts: Mapped[int]
    attempt: Mapped[int] = mapped_column(default=0)
    """Number of the newest attempt: the fence that every write of a worker must name."""
    attempts_used: Mapped[int] = mapped_column(default=0, server_default="0")
    """Attempts since the job last made progress, the present one among them; those that a worker gave back in order do
    not count. After `max_attempts` it fails."""
    forgiven_attempt: Mapped[int] = mapped_column(default=0, server_default="0")
    """Attempts up to this number are held against it no more: it made progress since."""
    progressed_to: Mapped[int] = mapped_column(BigInteger, default=-1, server_default="-1")
    """Number of the newest event that was progress. Only what goes beyond it is progress, so what is done again after a
    loss is not."""
    yield_to: Mapped[str | None] = mapped_column(String(20), default=None)
    """`paused` or `queued`, where its worker is asked to hand it back: the status that it has then. Set by
    `backend.jobs.changes.request_yield` alone."""
    wanted_worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"), default=None)
    """Only this worker may take it; any may where it is None."""
    priority: Mapped[str] = mapped_column(String(10), default="normal", server_default="normal")
    """A `Priority`: the higher class goes first."""
    devices: Mapped[int] = mapped_column(default=1, server_default="1")
    """Slots that it occupies, on all its hosts together."""
    hosts: Mapped[int] = mapped_column(default=1, server_default="1")
    """Workers that execute it together: as many as it asks for until it is sent, then as it got. Where there are
    several, `Rank` says which, and `worker_id` and `slots` are those of rank 0."""
    device: Mapped[str] = mapped_column(String(10), default="any", server_default="any")
    """`cpu`, `gpu` or `any`."""
    memory_bytes: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """Of each of its devices; None where nothing is forecast."""
    labels: Mapped[list[str]] = mapped_column(default=list, server_default="[]")
    """That its worker must have."""
    ask: Mapped[str] = mapped_column(Text, server_default=NO_ASK)
    """All that decides where it may run, as one text: jobs with the same text are alike to the scheduler."""
    queued_at: Mapped[datetime] = mapped_column(Timestamp, default=clock.now, server_default="1970-01-01 00:00:00")
    """Since when it waits, or waited: its creation, or the end of the attempt after which it was queued again."""
    place: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """Its place among the waiting jobs of its owner where someone moved it; else its number is."""
    expected_seconds: Mapped[float | None] = mapped_column(Double, default=None)
    """How long similar jobs took; None where none has ended yet."""
    not_before: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    """It waits until then, after an attempt that ended badly."""
    slots: Mapped[list[int] | None] = mapped_column(default=None)
    """Numbers of the slots of its worker that it occupies, from its dispatch on; None while it waits."""
    dispatched_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"), default=None, index=True)
    """The worker that it was sent to, which alone may claim it; after that the one that has it, or had it last."""
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

    # Not joined: to lock a job must not lock its owner.
    owner: Mapped[User] = relationship()
    project: Mapped[Project] = relationship()
