"""A lineage in numbers, and the past of one span, as the CLI prints them and the service answers them."""

from itertools import pairwise

from phylon.contract.lineage import (
    Ancestor,
    Ancestry,
    FounderSummary,
    LineageSummary,
    LivingMember,
    RunLineage,
    SharesAtStep,
    WinnerSummary,
)
from phylon.lineage.ancestry import (
    ancestry,
    by_id,
    common_ancestor,
    copies,
    founder_shares,
    founders,
    generations_to_common_ancestor,
    living,
    path_to,
    winner,
)
from phylon.lineage.gain import births, by_move, by_operator
from phylon.series import Series


def summarise(lineage: RunLineage, returns: Series | None) -> LineageSummary:
    """Without `returns` nobody wins, and gains are not known."""
    born = births(lineage, returns)
    spans = by_id(lineage)
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
        living=[
            LivingMember(member=span.slot, span=span.id, generations=copies(path_to(spans, span.id)))
            for span in living(lineage)
        ],
        exploits=sum(slot_of[birth.child.parent or 0] != birth.child.slot for birth in born),
        winner=_winner(lineage, returns),
        operators=by_operator(born),
        moves=by_move(born, lineage.tuned),
    )


def trace(lineage: RunLineage, returns: Series | None, span: int) -> Ancestry | None:
    """How a span came about, living or not; nothing when there is no such span."""
    path = ancestry(lineage, span)
    if not path:
        return None
    gains = {birth.child.id: birth.gain for birth in births(lineage, returns)}
    last_end = lineage.end_step if path[-1].end_step is None else path[-1].end_step
    ends = [*(child.start_step for _, child in pairwise(path)), last_end]
    return Ancestry(
        span=span,
        member=path[-1].slot,
        generations=copies(path),
        path=[
            Ancestor(
                span=each.id,
                member=each.slot,
                start_step=each.start_step,
                end_step=end,
                hyperparams=each.hyperparams,
                changes=each.changes,
                gain=gains.get(each.id),
            )
            for each, end in zip(path, ends, strict=True)
        ],
    )


def _winner(lineage: RunLineage, returns: Series | None) -> WinnerSummary | None:
    best = winner(lineage, returns)
    if best is None:
        return None
    path = ancestry(lineage, best.span.id)
    return WinnerSummary(
        member=best.span.slot,
        span=best.span.id,
        step=best.step,
        last_return=best.last_return,
        generations=copies(path),
        ancestry=[span.id for span in path],
    )
