"""Who did what. Rows are only ever added: the database itself refuses to change or delete one."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import BigKey, Timestamp
from phylon.backend.models.base import NUMBERED, Base


class AuditRecord(Base):
    __tablename__ = "audit_records"
    __table_args__ = NUMBERED

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    at: Mapped[datetime] = mapped_column(Timestamp)
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    """None where nobody is signed in."""
    actor: Mapped[str] = mapped_column(String(254))
    """Their name then, or the e-mail address that was tried."""
    address: Mapped[str | None] = mapped_column(String(45))
    """The IP address that the request came from."""
    action: Mapped[str] = mapped_column(String(50))
    target: Mapped[str] = mapped_column(String(300))
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id"))
    detail: Mapped[dict[str, Any]]
