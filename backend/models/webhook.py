"""Webhooks and their outbox: what is to be sent is stored in the transaction that made it true."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base


class Webhook(Base):
    __tablename__ = "webhooks"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    url: Mapped[str] = mapped_column(Text)
    secret: Mapped[str] = mapped_column(String(100))
    """Signs every message, so it is kept as it is; nobody can read it after its creation."""
    events: Mapped[list[str]]
    format: Mapped[str] = mapped_column(String(10))
    enabled: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(Timestamp)


class WebhookDelivery(Base):
    __tablename__ = "webhook_deliveries"
    __table_args__ = (Index(None, "webhook_id", "id"), NUMBERED)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    message_id: Mapped[str] = mapped_column(String(40), unique=True)
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    event: Mapped[str] = mapped_column(String(40))
    body: Mapped[str] = mapped_column(Text)
    """Made once, so that every try sends the same."""
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    tries: Mapped[int] = mapped_column(default=0)
    next_try_at: Mapped[datetime | None] = mapped_column(Timestamp, index=True)
    """While a sender is at it, when another may take over; None once it was delivered or given up."""
    delivered_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    dead_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
    last_status: Mapped[int | None] = mapped_column(default=None)
    last_error: Mapped[str | None] = mapped_column(Text, default=None)

    webhook: Mapped[Webhook] = relationship(lazy="joined", innerjoin=True)
