"""Answers of creating calls by the key that their caller chose, so that a call which is sent twice creates once."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import Timestamp
from phylon.backend.models.base import Base


class IdempotencyKey(Base):
    __tablename__ = "idempotency_keys"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    """Nobody meets the key of another."""
    route: Mapped[str] = mapped_column(String(50), primary_key=True)
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    body_sha256: Mapped[str] = mapped_column(String(64))
    answer: Mapped[str | None] = mapped_column(Text)
    """As JSON; None only within the transaction that creates it."""
    created_at: Mapped[datetime] = mapped_column(Timestamp, index=True)
