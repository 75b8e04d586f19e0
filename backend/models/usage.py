"""What people have used of the devices, for fair shares."""

from datetime import datetime

from sqlalchemy import Double, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.kit.columns import Timestamp
from phylon.backend.models.base import Base


class Usage(Base):
    """Of one person in one project: device-seconds of attempts that have ended, which fade with time."""

    __tablename__ = "usage"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    device_seconds: Mapped[float] = mapped_column(Double)
    """As they were at `updated_at`; by now they have faded further."""
    updated_at: Mapped[datetime] = mapped_column(Timestamp)
