"""A lineage in numbers, as the CLI prints it and the service answers it."""

from phylon.lineage.ancestry import (
    ancestry,
    common_ancestor,
    copies,
    founder_shares,
    founders,
    generations_to_common_ancestor,
    winner,
)
from phylon.lineage.gain import MoveGain, OperatorGain, births, by_move, by_operator
from phylon.results import Result, RunLineage, Series, SpanInTime


class FounderSummary(Result):
    span: int
    member: int
    share: float
    """Of the population, which descends from it."""


class SharesAtStep(Result):
    step: int
    shares: dict[int, float]
    """By the founder's span, from this step on; those that died out are left out."""


class WinnerSummary(Result):
    """The best member at the last evaluation."""

    member: int
    span: int
    step: int
    last_return: float
    generations: int
    """Copies between its founder and itself."""
    ancestry: list[int]
    """Spans, from its founder to itself."""


class LineageSummary(Result):
    population_size: int
    founders: int
    founders_alive: list[FounderSummary]
    """Largest family first."""
    founder_shares: list[SharesAtStep]
    common_ancestor: int | None
    """The latest span from which all living members descend; none while several founders live on."""
    generations_to_common_ancestor: int | None
    exploits: int
    """Copies from one slot into another."""
    winner: WinnerSummary | None
    operators: list[OperatorGain]
    moves: list[MoveGain]


def summarise(lineage: RunLineage, returns: Series | None) -> LineageSummary:
    """Without `returns` nobody wins, and gains are not known."""
    born = births(lineage, returns)
    slot_of = {span.id: span.slot for span in lineage.spans}
    shares = founder_shares(lineage)
    ancestor = common_ancestor(lineage)
    return LineageSummary(
        population_size=lineage.population_size,
        founders=len(set(founders(lineage).values())),
        founders_alive=[
            FounderSummary(span=founder, member=slot_of[founder], share=share)
            for founder, share in (shares[-1].founders if shares else {}).items()
        ],
        founder_shares=[SharesAtStep(step=each.step, shares=each.founders) for each in shares],
        common_ancestor=None if ancestor is None else ancestor.id,
        generations_to_common_ancestor=generations_to_common_ancestor(lineage),
        exploits=sum(slot_of[birth.child.parent or 0] != birth.child.slot for birth in born),
        winner=_winner(lineage, returns),
        operators=by_operator(born),
        moves=by_move(born, lineage.tuned),
    )


def _winner(lineage: RunLineage, returns: Series | None) -> WinnerSummary | None:
    best = winner(lineage, returns)
    if best is None:
        return None
    path: list[SpanInTime] = ancestry(lineage, best.span.id)
    return WinnerSummary(
        member=best.span.slot,
        span=best.span.id,
        step=best.step,
        last_return=best.last_return,
        generations=copies(path),
        ancestry=[span.id for span in path],
    )
