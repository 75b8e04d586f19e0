"""What is known about a runtime study, and how one is submitted."""

from datetime import datetime
from typing import Any

from phylon.backend.jobs.status import JobStatus
from phylon.backend.kit.schema import InputSchema, Schema
from phylon.study import Machine, Measurement


class StudyFromYaml(InputSchema):
    yaml: str
    worker_id: int | None = None
    """The worker that is to run it; any may without it."""


class StudyUpload(InputSchema):
    content: str
    """A `study.jsonl` as `phylon study` writes it."""


class StudySummary(Schema):
    id: int
    name: str
    description: str
    status: JobStatus
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    worker_name: str | None
    machine: Machine | None
    """Where it was measured; none before anyone began."""
    done: int
    total: int
    """Cells."""
    progress: str | None
    error: str | None
    stream: str | None
    """Where its event stream goes on after what this answer contains; pass it as `after`, exactly as it came."""


class StudyRead(StudySummary):
    spec: dict[str, Any]
    yaml: str
    measurements: list[Measurement]
