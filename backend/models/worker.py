"""A worker: a machine, or one device of it, that trains."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base


class Worker(Base):
    __tablename__ = "workers"
    __table_args__ = (Index("uq_workers_credential_sha256", "credential_sha256", unique=True), NUMBERED)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    name: Mapped[str] = mapped_column(String(200), index=True)
    device: Mapped[str] = mapped_column(String(10))
    device_name: Mapped[str] = mapped_column(String(200))
    device_count: Mapped[int]
    memory_bytes: Mapped[int] = mapped_column(BigInteger)
    """Of its devices together."""
    host_memory_bytes: Mapped[int | None] = mapped_column(BigInteger)
    """None for workers that registered before it was reported."""
    versions: Mapped[dict[str, Any]]
    suites: Mapped[list[str]]
    algorithms: Mapped[list[str] | None]
    methods: Mapped[list[str] | None]
    """None for workers that registered before they reported algorithms and methods."""
    environments: Mapped[list[dict[str, Any]]] = mapped_column(default=list, server_default="[]")
    """Of the modules that its operator allowed, as `phylon.contract.catalogue.Environment`."""
    slots: Mapped[int] = mapped_column(default=1, server_default="1")
    """Jobs of one device that it can execute side by side."""
    several_ranks: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether it may be several hosts of one gang, each on slots of its own."""
    labels: Mapped[list[str]] = mapped_column(default=list, server_default="[]")
    draining_since: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    """It gets no new job; what it executes goes on to its end."""
    draining_at_once: Mapped[bool] = mapped_column(default=False, server_default=false())
    """What it executes is asked to go back to the queue instead."""
    quarantined_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    quarantine_reason: Mapped[str | None] = mapped_column(Text, default=None)
    """It gets no job until its operator lets it back."""
    credential_sha256: Mapped[str | None] = mapped_column(String(64), default=None)
    """Of the secret that it got when it enrolled; None for workers of releases that had none."""
    machine: Mapped[str | None] = mapped_column(String(200), default=None)
    """Where the process that registered last runs."""
    revoked_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    """Its credential counts no more."""
    quarantine_jobs: Mapped[list[int]] = mapped_column(default=list, server_default="[]")
    """The jobs whose crashes led to it; none when the worker itself reported that its device fails."""
    released_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    """When its operator last let it back; crashes before that are not held against it."""
    enrolled_by: Mapped[str | None] = mapped_column(String(100), default=None)
    """Who made the code with which it enrolled; None for workers of releases that did not keep it."""
    registered_at: Mapped[datetime] = mapped_column(Timestamp)
    left_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    """When it said that it leaves; until it registers again it gets no job."""
    last_seen_at: Mapped[datetime] = mapped_column(Timestamp)
