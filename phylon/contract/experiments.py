"""An experiment: a spec that was submitted, with its runs."""

from datetime import datetime
from typing import Any

from phylon.contract.base import ReadModel, Real, Request
from phylon.contract.runs import Run
from phylon.contract.vocabulary import ExperimentStatus


class FromSpec(Request):
    """An experiment or a group to submit, as data."""

    spec: dict[str, Any]


class FromYaml(Request):
    """An experiment or a group to submit, as text; comments are kept."""

    yaml: str


class GroupName(ReadModel):
    """The group to which an experiment belongs."""

    id: int
    name: str


class Experiment(ReadModel):
    id: int
    name: str
    status: ExperimentStatus
    created_at: datetime
    spec: dict[str, Any]
    yaml: str
    """As it was submitted, comments included."""
    group: GroupName | None
    runs: list[Run]


class ExperimentSummary(ReadModel):
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
