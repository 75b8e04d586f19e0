"""What is told about a runtime study, and how one is submitted."""

from datetime import datetime
from typing import Any

from phylon.backend.kit.schema import InputSchema, Schema
from phylon.backend.runs.status import RunStatus
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
    status: RunStatus
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


class StudyNews(StudySummary):
    """What changed since the last message."""

    position: int
    measurements: list[Measurement]
    """All that there is from `position` on; what was known from there is void."""


class StudyRead(StudySummary):
    spec: dict[str, Any]
    yaml: str
    measurements: list[Measurement]
