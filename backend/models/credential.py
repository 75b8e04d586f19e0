"""How people prove who they are. Of each secret only a hash is stored."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base
from phylon.backend.models.user import User

BROWSER_LENGTH = 300


class SignIn(Base):
    """A browser that someone signed in with; its cookie holds the secret."""

    __tablename__ = "sign_ins"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    last_seen_at: Mapped[datetime] = mapped_column(Timestamp)
    address: Mapped[str | None] = mapped_column(String(45), default=None)
    """The IP address that it began from."""
    browser: Mapped[str | None] = mapped_column(String(BROWSER_LENGTH), default=None)
    """As it names itself."""

    user: Mapped[User] = relationship(lazy="raise")


class SignInFailures(Base):
    """Failed tries to sign in under an e-mail address, whether or not anyone has it."""

    __tablename__ = "sign_in_failures"

    email: Mapped[str] = mapped_column(String(254), primary_key=True)
    count: Mapped[int]
    blocked_until: Mapped[datetime] = mapped_column(Timestamp)


class Token(Base):
    """Stands for its owner in scripts and on the command line."""

    __tablename__ = "tokens"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[list[str]]
    """Each a `Scope`."""
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    expires_at: Mapped[datetime] = mapped_column(Timestamp)
    last_used_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)

    user: Mapped[User] = relationship(lazy="raise")


class OneTimeCode(Base):
    """Lets its holder do one thing once: become the first admin, accept an invitation, set a
    new password, enrol a worker."""

    __tablename__ = "one_time_codes"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    purpose: Mapped[str] = mapped_column(String(20))
    """A `Purpose` of `backend.accounts.codes`."""
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id"), default=None)
    """To which an invitation invites."""
    detail: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(Timestamp)
    expires_at: Mapped[datetime] = mapped_column(Timestamp)
