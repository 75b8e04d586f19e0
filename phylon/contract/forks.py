"""Forks: experiments whose founders begin with weights of another run, and where a run can be forked."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from phylon.contract.base import ReadModel
from phylon.contract.experiments import Submission
from phylon.contract.vocabulary import ExperimentStatus


class ForkableSpan(ReadModel):
    span: int
    member: int
    steps: list[int]
    """Of the checkpoints in its life that are kept, the oldest first."""


class Forkable(ReadModel):
    """From where a run can be forked."""

    steps: list[int]
    """Of the checkpoints that are kept, the oldest first."""
    spans: list[ForkableSpan]
    """Those in whose life a checkpoint is kept; all others cannot be forked."""
    why_not: str
    """Why the others cannot, and what to do about it in a new run."""


class ForkPoint(ReadModel):
    """Whom a fork takes its weights from. What is left out is chosen: the newest checkpoint, the best member."""

    span: Annotated[int, Field(ge=0)] | None = None
    member: Annotated[int, Field(ge=0, lt=4096)] | None = None
    step: Annotated[int, Field(ge=0)] | None = None


class ForkDraft(ReadModel):
    """A spec to edit and submit: that of the forked run, with `population.start`."""

    step: int
    member: int | None
    """None for the best at that step."""
    spec: dict[str, Any]
    yaml: str


class ForkRequest(Submission):
    span: Annotated[int, Field(ge=0)] | None = None
    """A stretch of the lineage; the newest checkpoint within it unless `step` says another."""
    member: Annotated[int, Field(ge=0, lt=4096)] | None = None
    """Without it and without `span`: the best by fitness."""
    step: Annotated[int, Field(ge=0)] | None = None
    """Of a checkpoint that is kept; without it the newest."""
    changes: Annotated[dict[str, Any], Field(max_length=1000)] = Field(default_factory=dict)
    """What is different from the spec of the forked run, by dotted path."""
    project: str | None = None
    """The name of the project that it is for; without it, that of the forked run."""


class Fork(ReadModel):
    """An experiment that starts from a run."""

    id: int
    name: str
    status: ExperimentStatus
    created_at: datetime
    step: int
    members: list[int]
