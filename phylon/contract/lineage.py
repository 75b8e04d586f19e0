"""Who descends from whom: the spans of a run, and what follows from them."""

from typing import Annotated, Any, cast

from pydantic import Field, model_validator

from phylon.contract.base import ReadModel, Real, Request
from phylon.contract.events import Operator, Span
from phylon.registry.descriptions import WhenRead
from phylon.spec.distributions import Scale


class Divergence(ReadModel):
    """Where a member's training broke down, and by which number. From there on it is set aside."""

    step: int
    metric: str
    """Of its updates, such as `critic_loss`; `weights` where these alone are not finite."""
    value: Real


class LineageSpan(Span):
    """A span with when it began and ended."""

    start_step: int
    end_step: int | None
    """None while it lives."""
    start_wall: float
    diverged: Divergence | None
    """None for a member that did not."""

    @model_validator(mode="before")
    @classmethod
    def _of_older_exports(cls, raw: Any) -> Any:
        """Lineages that were exported before members could be set aside."""
        return {"diverged": None, **cast(dict[str, Any], raw)} if isinstance(raw, dict) else raw


class Tuned(ReadModel):
    """A hyper-parameter that differs between members, with the bounds it never leaves."""

    name: str
    scale: Scale
    low: float
    high: float
    names: list[str] | None
    """What the values 0, 1, 2, … are called, where they are names."""
    read: WhenRead
    """`training`: whenever a member acts or learns. `reset`: at each reset. `birth`: only when a member is new."""


class RunLineage(ReadModel):
    population_size: int
    end_step: int
    """How far the run has come; where a living span ends for now."""
    tuned: list[Tuned]
    spans: list[LineageSpan]


class Gain(ReadModel):
    """Return of a child at its first evaluation minus another, or the mean of that over several births.

    None where it is not known. The first two also hold what was learned since the birth; the third is what the move
    did, because child and parent began with the same weights.
    """

    over_replaced: Real | None
    """Minus that of the member whose slot it took, when it was replaced."""
    over_parent: Real | None
    """Minus its parent's at the same moment."""
    beside_parent: Real | None
    """Minus its parent's at the child's evaluation."""


class Ancestor(ReadModel):
    """A span on the path from a founder to a descendant, as far as the descendant shares it."""

    span: int
    member: int
    start_step: int
    end_step: int
    """Where its child on the path was born; for the last, where it ended or how far the run has come."""
    hyperparams: dict[str, Real]
    changes: dict[str, str]
    """What its birth did to each hyper-parameter."""
    gain: Gain | None
    """What its birth brought; none for a founder."""


class Ancestry(ReadModel):
    """How one span came about, living or not."""

    span: int
    member: int
    generations: int
    """Copies from one slot into another between its founder and itself. A reset makes no new generation."""
    path: list[Ancestor]
    """From its founder to itself: together they cover its past once, without gaps."""


class ScheduleValues(ReadModel):
    """Values that hold from a step on."""

    step: int
    values: dict[str, float | str]


class Schedule(ReadModel):
    """The hyper-parameters that a span's ancestors lived through."""

    span: int
    member: int
    entries: list[ScheduleValues]
    """One wherever a tuned value changed."""
    read: dict[str, WhenRead]
    """When members read each of these hyper-parameters; a change takes effect at the next time."""
    yaml: str
    """The same as the value of `population.method` in a spec."""


class FounderSummary(ReadModel):
    span: int
    member: int
    share: float
    """Of the population, which descends from it."""


class SharesAtStep(ReadModel):
    """Whose descendants the population consists of, from a step on."""

    step: int
    shares: dict[int, float]
    """By the founder's span; those that died out are left out."""


class LivingMember(ReadModel):
    member: int
    span: int
    generations: int
    """Copies between its founder and itself."""


class WinnerSummary(LivingMember):
    """The best member at the last evaluation."""

    step: int
    """Of that evaluation."""
    last_return: Real
    ancestry: list[int]
    """Spans, from its founder to itself."""


class OperatorGain(Gain):
    """What an operator brought, on average over the births that were evaluated."""

    operator: Operator
    births: int


class MoveGain(ReadModel):
    """What one move of one hyper-parameter brought beside parents that kept their value."""

    name: str
    move: str
    """`up`, `down` or `kept`; for a category `to` and its name."""
    births: int
    beside_parent: Real | None
    helped: float | None
    """Share of the births after which the child was better than its parent."""


class LineageSummary(ReadModel):
    population_size: int
    founders: int
    founders_alive: list[FounderSummary]
    """Largest family first."""
    founder_shares: list[SharesAtStep]
    common_ancestor: int | None
    """The latest span from which all living members descend; none while several founders live on."""
    generations_to_common_ancestor: int | None
    """Copies between the common ancestor and the living member most distant from it."""
    exploits: int
    """Copies from one slot into another."""
    living: list[LivingMember]
    """By slot."""
    winner: WinnerSummary | None
    operators: list[OperatorGain]
    moves: list[MoveGain]


class RayFiles(Request):
    """Ray Tune's mutation logs."""

    files: Annotated[dict[str, Annotated[str, Field(max_length=20_000_000)]], Field(min_length=1, max_length=5000)]
    """Texts of `pbt_global.txt` and `pbt_policy_*.txt` by name."""
