"""A check of an environment: a worker that offers it tries it and says what it found. The payload of a job."""

from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.models.base import Base
from phylon.backend.models.payload import Payload


class EnvironmentCheck(Payload, Base):
    __tablename__ = "environment_checks"
    kind = "environment_check"

    suite: Mapped[str] = mapped_column(String(50))
    environment: Mapped[str] = mapped_column(String(200))
    options: Mapped[dict[str, Any]]
    report: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    """As `phylon.contract.environment_checks.EnvironmentReport` writes it."""
