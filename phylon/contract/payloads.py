"""What is said of every study, evaluation and check of an environment, beside what is its own."""

from datetime import datetime

from phylon.contract.accounts import PersonName, ProjectName
from phylon.contract.base import ReadModel
from phylon.contract.vocabulary import JobStatus


class PayloadSummary(ReadModel):
    id: int
    name: str
    status: JobStatus
    is_pausing: bool
    """Whether it was asked to pause: its worker hands it back as soon as what it is at is done."""
    owner: PersonName
    project: ProjectName
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    worker_name: str | None
    error: str | None
    remedy: str | None
    """What to do about the error."""
    stream: str | None
    """Where its event stream goes on after what this answer contains; pass it as `after`, exactly as it came."""
