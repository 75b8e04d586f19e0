"""The tables. Importing this package knows them all, which migrations rely on."""

from phylon.backend.models.artifact import Artifact
from phylon.backend.models.attempt import Attempt
from phylon.backend.models.base import Base
from phylon.backend.models.event import Event
from phylon.backend.models.experiment import Experiment
from phylon.backend.models.group import Group
from phylon.backend.models.idempotency_key import IdempotencyKey
from phylon.backend.models.log_line import LogLine
from phylon.backend.models.metric_frame import MetricFrame
from phylon.backend.models.run import Run
from phylon.backend.models.span import Span
from phylon.backend.models.study import Study, StudyMeasurement
from phylon.backend.models.worker import Worker

__all__ = [
    "Artifact",
    "Attempt",
    "Base",
    "Event",
    "Experiment",
    "Group",
    "IdempotencyKey",
    "LogLine",
    "MetricFrame",
    "Run",
    "Span",
    "Study",
    "StudyMeasurement",
    "Worker",
]
