"""The tables. Importing this package knows them all, which migrations rely on."""

from backend.models.artifact import Artifact
from backend.models.attempt import Attempt
from backend.models.base import Base
from backend.models.event import Event
from backend.models.experiment import Experiment
from backend.models.group import Group
from backend.models.log_line import LogLine
from backend.models.metric_frame import MetricFrame
from backend.models.run import Run
from backend.models.segment import Segment
from backend.models.study import Study, StudyMeasurement
from backend.models.worker import Worker

__all__ = [
    "Artifact",
    "Attempt",
    "Base",
    "Event",
    "Experiment",
    "Group",
    "LogLine",
    "MetricFrame",
    "Run",
    "Segment",
    "Study",
    "StudyMeasurement",
    "Worker",
]
