"""A worker: a machine, or one device of it, that trains."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base


class Worker(Base):
    __tablename__ = "workers"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    name: Mapped[str] = mapped_column(String(200), index=True)
    device: Mapped[str] = mapped_column(String(10))
    device_name: Mapped[str] = mapped_column(String(200))
    device_count: Mapped[int]
    memory_bytes: Mapped[int] = mapped_column(BigInteger)
    """Of its devices together."""
    host_memory_bytes: Mapped[int | None] = mapped_column(BigInteger)
    """None for workers that registered before it was told."""
    versions: Mapped[dict[str, Any]]
    suites: Mapped[list[str]]
    algorithms: Mapped[list[str] | None]
    methods: Mapped[list[str] | None]
    """None for workers that registered before they reported algorithms and methods."""
    registered_at: Mapped[datetime] = mapped_column(Timestamp)
    last_seen_at: Mapped[datetime] = mapped_column(Timestamp)
