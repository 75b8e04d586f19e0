"""An experiment: a spec that was submitted, with its runs."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from phylon.contract.accounts import PersonName, ProjectName
from phylon.contract.base import ReadModel, Real, Request
from phylon.contract.imports import ImportFormat, ImportSource
from phylon.contract.runs import Run
from phylon.contract.vocabulary import ExperimentStatus, Priority


class Submission(Request):
    """How something that is submitted joins the queue."""

    priority: Priority = Priority.NORMAL
    wait_for_worker: bool = False
    """Queue it although no worker that is known could execute it."""


class FromSpec(Submission):
    """An experiment or a group to submit, as data."""

    spec: dict[str, Any]
    project: str | None = None
    """The name of the project that it is for; without it, the first of which one is a member."""


class FromYaml(Submission):
    """An experiment or a group to submit, as text; comments are kept."""

    yaml: str
    project: str | None = None
    """The name of the project that it is for; without it, the first of which one is a member."""


class GroupName(ReadModel):
    """The group to which an experiment belongs."""

    id: int
    name: str


class StartedFrom(ReadModel):
    """Where weights of an experiment's founders come from."""

    experiment_id: int | None
    run_id: int | None
    """None, as the other two, where the run was deleted or is not for the one who asks."""
    experiment: str | None
    step: int
    members: list[int]


class Experiment(ReadModel):
    id: int
    name: str
    status: ExperimentStatus
    owner: PersonName
    project: ProjectName
    created_at: datetime
    spec: dict[str, Any]
    yaml: str
    """As it was submitted, comments included."""
    group: GroupName | None
    runs: list[Run]
    tags: list[str]
    notes: str
    """Markdown."""
    starred: bool
    """By the one who asks."""
    archived_at: datetime | None
    started_from: list[StartedFrom]
    """Where `population.start` took the founders' weights from."""
    imported: ImportSource | None
    """Where its results are from, if it was not trained here: then it can be organised and compared, nothing else."""


class ExperimentSummary(ReadModel):
    """A row of the experiments table."""

    id: int
    name: str
    status: ExperimentStatus
    owner: PersonName
    project: ProjectName
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
    final_return: Real | None
    """Of the winner in episodes that no selection saw, the mean over the runs that have one."""
    best_return: Real | None
    """Of any member of any run at any evaluation in training."""
    last_return: Real | None
    """Of the best member at the last evaluation in training."""
    sparkline: list[Real]
    """Return of the best member over time, at most 40 points."""
    error_message: str | None
    env_steps_per_second: Real | None
    """Of all runs together."""
    imported: ImportFormat | None
    """The format of the files that it was read from; none for what was trained here."""


class ExperimentRow(ExperimentSummary):
    """A row of the table of all experiments."""

    tags: list[str]
    starred: bool
    """By the one who asks."""
    archived_at: datetime | None
    ended_at: datetime | None
    """When the last of its runs ended; none while one has not."""
    values: dict[str, Real | str]
    """Of the columns that were asked for, those that it has a value for: values of its spec, or of its metrics."""


TagName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=50, pattern=r"^[^,\"'()\x00-\x1f]+$")
]
"""A word or a few. No signs that a query would have to put in quotes."""


class ExperimentChange(Request):
    """What is not named stays as it is."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")] | None = None
    notes: Annotated[str, Field(max_length=50_000)] | None = None
    """Markdown."""
    tags: Annotated[list[TagName], Field(max_length=50)] | None = None
    """All that it is to have."""
    archived: bool | None = None


class StarChange(Request):
    starred: bool


class BulkAction(StrEnum):
    STOP = "stop"
    PAUSE = "pause"
    RESUME = "resume"
    RETRY = "retry"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    STAR = "star"
    UNSTAR = "unstar"
    TAG = "tag"
    UNTAG = "untag"
    DELETE = "delete"


class BulkRequest(Request):
    """One action on several experiments."""

    ids: Annotated[list[int], Field(min_length=1, max_length=500)]
    action: BulkAction
    tag: TagName | None = None
    """For `tag` and `untag`."""


class BulkRefusal(ReadModel):
    id: int
    reason: str


class BulkReport(ReadModel):
    """Each experiment for itself: one that cannot be changed does not hold up the others."""

    done: list[int]
    refused: list[BulkRefusal]


class FieldDescription(ReadModel):
    """What a query may ask about, and a table may show and sort by."""

    name: str
    kind: str
    """`text`, `number`, `time`, `flag`, `tag`, `status`, `spec` (number or text) or `metric`."""
    meaning: str


class ValueCount(ReadModel):
    """Experiments that have the same value in one column."""

    value: Real | str | None
    query: str
    """Finds them, within the query that they were counted in."""
    count: int
    final_return: Real | None
    """The mean of those that have one."""
    best_final_return: Real | None
