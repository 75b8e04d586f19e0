"""Who descends from whom."""

from typing import Annotated

from pydantic import Field

from phylon.backend.kit.schema import InputSchema, Real, Schema
from phylon.contract.events import Operator
from phylon.spec.distributions import Scale


class SpanRead(Schema):
    """A stretch of one member's life with constant hyper-parameters."""

    id: int
    slot: int
    parent: int | None
    operator: Operator
    changes: dict[str, str]
    hyperparams_before: dict[str, Real] | None
    hyperparams: dict[str, Real]
    fitness: Real | None
    parent_fitness: Real | None
    rank: int | None
    weights: str
    reasons: dict[str, Real]
    """What the method knew when it decided, by name."""
    start_step: int
    end_step: int | None
    """`None` while it lives."""
    start_wall: float


class TunedRead(Schema):
    """A hyper-parameter that differs between members, with the bounds it never leaves."""

    name: str
    scale: Scale
    low: float
    high: float
    names: list[str] | None
    """What the values 0, 1, 2, … are called, where they are names."""


class RunLineage(Schema):
    population_size: int
    end_step: int
    """How far the run has come; where a living span ends for now."""
    tuned: list[TunedRead]
    spans: list[SpanRead]


class RayFiles(InputSchema):
    """Ray Tune's mutation logs."""

    files: Annotated[dict[str, Annotated[str, Field(max_length=20_000_000)]], Field(min_length=1, max_length=5000)]
    """Texts of `pbt_global.txt` and `pbt_policy_*.txt` by name."""
