"""A person who uses the service. Without accounts there is one, the local user."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base

LOCAL_USER = 1
"""Owner of what a service without accounts stores; a migration creates it."""


class User(Base):
    __tablename__ = "users"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    """In lower case."""
    name: Mapped[str] = mapped_column(String(100))
    password_hash: Mapped[str | None] = mapped_column(String(200), default=None)
    """None for those who cannot sign in: the local user."""
    is_admin: Mapped[bool] = mapped_column(default=False)
    """Of the whole service, whatever their roles in projects."""
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    disabled_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)
