"""A group: experiments that were submitted together."""

from datetime import datetime
from enum import StrEnum

from phylon.contract.accounts import PersonName, ProjectName
from phylon.contract.base import ReadModel, Real
from phylon.contract.experiments import ExperimentSummary
from phylon.contract.vocabulary import ExperimentStatus


class GroupOf(StrEnum):
    """What the experiments of a group are to each other."""

    ARMS = "arms"
    """Methods or settings: each is compared with the others, and an average over them would say nothing."""
    TASKS = "tasks"
    """Environments that one method was tried on: together they are one result."""


class GroupSummary(ReadModel):
    id: int
    name: str
    description: str
    owner: PersonName
    project: ProjectName
    created_at: datetime
    size: int
    """How many experiments it has."""
    status: ExperimentStatus | None
    """Derived from its experiments as theirs from their runs; none when all were deleted."""
    counts: dict[ExperimentStatus, int]
    """How many experiments are in each state."""
    progress: float
    """The mean share of the budget that its experiments have spent, from 0 to 1."""


class GroupExperiment(ExperimentSummary):
    """A row of the group's table."""

    score: Real | None
    """Mean of the samples: final returns of runs that have them, returns at the last evaluation of the others."""
    low: float | None
    """Ends of the score's 95 % interval; none for a single sample."""
    high: float | None
    is_final: bool
    """Whether all samples are final returns, measured in episodes that no selection saw."""
    samples: int
    """What was learned independently: each member of each run, or the best member of each run where members copy each
    other."""


class Estimate(ReadModel):
    value: float
    low: float | None
    """Ends of the 95 % interval; none when an experiment has a single sample."""
    high: float | None


class Aggregate(ReadModel):
    """The group in a few numbers."""

    experiments: int
    """Those that have been evaluated."""
    samples: int
    mean: Estimate
    """Of the experiments' scores."""
    interquartile_mean: Estimate
    """Of the middle half of all samples."""


class ExperimentGroup(GroupSummary):
    yaml: str
    of: GroupOf
    """As its document says with `of`; else tasks where each experiment has an environment of its own."""
    experiments: list[GroupExperiment]
    comparable: bool
    """Whether returns of its experiments may be averaged: one environment, or tasks that all pay 0 to 1000."""
    aggregate: Aggregate | None
    """Of tasks alone; none when their returns cannot be compared, or when there are none yet."""
