"""What a job is for, where that stands alone. (Runs belong to their experiments.)"""

from typing import Any, ClassVar

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, declared_attr, mapped_column, relationship

from phylon.backend.kit.columns import BigKey
from phylon.backend.models.base import NUMBERED
from phylon.backend.models.deletable import Deletable
from phylon.backend.models.job import Job
from phylon.contract.protocol import JobKindName


class Payload(Deletable):
    __table_args__: Any = NUMBERED
    kind: ClassVar[JobKindName]

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), unique=True)
    name: Mapped[str] = mapped_column(String(200))

    @declared_attr
    def job(self) -> Mapped[Job]:
        return relationship(lazy="joined", innerjoin=True, cascade="all, delete-orphan", single_parent=True)

    def __str__(self) -> str:
        """As people call it."""
        return f"{self.kind.replace('_', ' ')} {self.id}"
