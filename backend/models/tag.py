"""How people mark experiments: tags for everyone to see, and each person's own stars."""

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from phylon.backend.models.base import Base


class Tag(Base):
    __tablename__ = "tags"
    __table_args__ = (Index(None, "name", "experiment_id"),)

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(50), primary_key=True)


class Star(Base):
    __tablename__ = "stars"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    experiment_id: Mapped[int] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True, index=True
    )
