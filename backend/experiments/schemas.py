"""What is told about an experiment, and how one is submitted."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from phylon.backend.kit.schema import InputSchema, Real, Schema
from phylon.backend.runs.schemas import RunRead


class ExperimentStatus(StrEnum):
    """Derived from the runs: the first of these that any run is in."""

    RUNNING = "running"
    QUEUED = "queued"
    FAILED = "failed"
    STOPPED = "stopped"
    FINISHED = "finished"


class ExperimentFromSpec(InputSchema):
    spec: dict[str, Any]


class ExperimentFromYaml(InputSchema):
    yaml: str


class GroupName(Schema):
    """The group to which an experiment belongs."""

    id: int
    name: str


class ExperimentRead(Schema):
    id: int
    name: str
    status: ExperimentStatus
    created_at: datetime
    spec: dict[str, Any]
    yaml: str
    group: GroupName | None
    runs: list[RunRead]


class ExperimentSummary(Schema):
    """A row of the experiments table."""

    id: int
    name: str
    status: ExperimentStatus
    created_at: datetime
    group: GroupName | None
    algorithm: str
    environment: str
    method: str
    population_size: int
    replicates: int
    step: int
    """Mean over the runs."""
    total_steps: int
    best_return: Real | None
    """Of any member of any run at any evaluation."""
    last_return: Real | None
    """Of the best member at the last evaluation."""
    sparkline: list[Real]
    """Return of the best member over time, at most 40 points."""
    error_message: str | None
    env_steps_per_second: Real | None
    """Of all runs together."""


class ExperimentPage(Schema):
    items: list[ExperimentSummary]
    total: int
