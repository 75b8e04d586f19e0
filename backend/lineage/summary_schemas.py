"""A lineage in numbers, and a schedule taken from it."""

from phylon.backend.kit.schema import Real, Schema


class FounderRead(Schema):
    span: int
    member: int
    share: float
    """Of the population, which descends from it."""


class SharesRead(Schema):
    """Whose descendants the population consists of, from a step on."""

    step: int
    shares: dict[int, float]
    """By the founder's span; those that died out are left out."""


class WinnerRead(Schema):
    """The best member at the last evaluation."""

    member: int
    span: int
    step: int
    last_return: Real
    generations: int
    ancestry: list[int]
    """Spans, from its founder to itself."""


class OperatorGainRead(Schema):
    """Fitness of children at their first evaluation minus another, on average; `None` where it is not known."""

    operator: str
    births: int
    over_replaced: Real | None
    """Minus that of the replaced member when it was replaced."""
    over_parent: Real | None
    """Minus the parent's at the same moment."""
    beside_parent: Real | None
    """Minus the parent's at the child's evaluation."""


class MoveGainRead(Schema):
    """What one move of one hyper-parameter brought."""

    name: str
    move: str
    """`up`, `down` or `kept`; for a category `to` and its name."""
    births: int
    beside_parent: Real | None
    helped: float | None
    """Share of the births after which the child was better than its parent."""


class LineageSummaryRead(Schema):
    population_size: int
    founders: int
    founders_alive: list[FounderRead]
    """Largest family first."""
    founder_shares: list[SharesRead]
    common_ancestor: int | None
    """The latest span from which all living members descend; `None` while several founders live on."""
    generations_to_common_ancestor: int | None
    exploits: int
    winner: WinnerRead | None
    operators: list[OperatorGainRead]
    moves: list[MoveGainRead]


class ScheduleEntryRead(Schema):
    step: int
    values: dict[str, float | str]


class ScheduleRead(Schema):
    """The hyper-parameters that a member's ancestors lived through."""

    member: int
    span: int
    schedule: list[ScheduleEntryRead]
    yaml: str
    """The same as the value of `population.method` in a spec."""
