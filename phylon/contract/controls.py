"""Did tuning help? A run's experiment against controls that spend as much and do not tune."""

from enum import StrEnum

from phylon.contract.base import ReadModel
from phylon.contract.comparisons import Caveat
from phylon.contract.experiments import GroupName, Submission
from phylon.contract.groups import Estimate
from phylon.contract.vocabulary import ExperimentStatus


class ControlKind(StrEnum):
    SCHEDULE = "schedule"
    """Fresh members on the schedule that the winner's ancestors lived through: is it the values, or the copying?"""
    FIXED = "fixed"
    """Fresh members on the winner's final values: did they have to change in training?"""
    RANDOM_SEARCH = "random_search"
    """As many members that keep what they drew: would drawing have done?"""


class ControlAnswer(StrEnum):
    HELPED = "helped"
    """The tuned experiment is better than this control."""
    HARMED = "harmed"
    UNCLEAR = "unclear"
    PENDING = "pending"
    """The control has no result yet."""


class Control(ReadModel):
    kind: ControlKind
    experiment_id: int
    name: str
    status: ExperimentStatus
    answer: ControlAnswer
    difference: Estimate | None
    """Of the mean final return: the tuned experiment's minus the control's."""
    replicates_needed: int | None
    """Of each, to see a difference as large as this one."""


class Controls(ReadModel):
    run_id: int
    group: GroupName
    is_over: bool
    """Whether all of them have ended."""
    headline: str
    controls: list[Control]
    caveats: list[Caveat]


class RunControls(ReadModel):
    newest: Controls | None
    """None where nobody has started any."""
    why_not: str | None
    """Why none can be started; None where they can."""


class ControlsRequest(Submission):
    project: str | None = None
    """The name of the project that they are for; without it, that of the run."""
