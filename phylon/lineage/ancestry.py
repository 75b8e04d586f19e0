"""Who descends from whom.

Generations are copies from one slot into another: a reset renews a member, but makes no new generation.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from phylon.contract.lineage import LineageSpan, RunLineage
from phylon.series import Series

Path = Sequence[LineageSpan]
"""From a founder to a descendant."""

Member = Literal["best"] | int
"""The best at the last evaluation, or the member in a slot."""


class NoSuchMember(LookupError):
    """The message says who was asked for, and who there is."""


class Winner(NamedTuple):
    span: LineageSpan
    last_return: float
    step: int
    """Of the evaluation that it won."""


class Shares(NamedTuple):
    """Whose descendants the population consists of, from `step` on."""

    step: int
    founders: dict[int, float]
    """Share of the population by the founder's span, largest first; those that died out are left out."""


def by_id(lineage: RunLineage) -> dict[int, LineageSpan]:
    return {span.id: span for span in lineage.spans}


def in_order_of_birth(lineage: RunLineage) -> list[LineageSpan]:
    return sorted(lineage.spans, key=lambda span: (span.start_step, span.id))


def living(lineage: RunLineage) -> list[LineageSpan]:
    """By slot."""
    return sorted((span for span in lineage.spans if span.end_step is None), key=lambda each: each.slot)


def ancestry(lineage: RunLineage, span: int) -> list[LineageSpan]:
    return path_to(by_id(lineage), span)


def path_to(spans: Mapping[int, LineageSpan], span: int) -> list[LineageSpan]:
    path: list[LineageSpan] = []
    current = spans.get(span)
    while current is not None:
        path.append(current)
        current = None if current.parent is None else spans.get(current.parent)
    return path[::-1]


def copies(path: Path) -> int:
    """How often the path goes from one slot to another."""
    return sum(parent.slot != child.slot for parent, child in pairwise(path))


def common_ancestor(lineage: RunLineage) -> LineageSpan | None:
    """The latest from which all living members descend; nobody while several founders live on."""
    spans = by_id(lineage)
    shared: LineageSpan | None = None
    for generation in zip(*(path_to(spans, span.id) for span in living(lineage)), strict=False):
        if len({span.id for span in generation}) > 1:
            break
        shared = generation[0]
    return shared


def generations_to_common_ancestor(lineage: RunLineage) -> int | None:
    """Copies between the common ancestor and that living member which is furthest from it."""
    ancestor = common_ancestor(lineage)
    if ancestor is None:
        return None
    spans = by_id(lineage)
    before = copies(path_to(spans, ancestor.id))
    return max(copies(path_to(spans, span.id)) for span in living(lineage)) - before


def founders(lineage: RunLineage) -> dict[int, int]:
    """The founder of every span, by span."""
    found: dict[int, int] = {}
    for span in in_order_of_birth(lineage):
        parent = span.parent
        found[span.id] = found.get(parent, span.id) if parent is not None else span.id
    return found


def founder_shares(lineage: RunLineage) -> list[Shares]:
    """At the start and at every step at which the shares changed."""
    founder_of = founders(lineage)
    lives_in: dict[int, int] = {}
    over_time: list[Shares] = []
    for step, born in groupby(in_order_of_birth(lineage), key=lambda span: span.start_step):
        lives_in |= {span.slot: founder_of[span.id] for span in born}
        shares = {
            founder: count / len(lives_in)
            for founder, count in sorted(Counter(lives_in.values()).items(), key=lambda item: (-item[1], item[0]))
        }
        if not over_time or over_time[-1].founders != shares:
            over_time.append(Shares(step, shares))
    return over_time


def evaluated_at(lineage: RunLineage, slot: int, step: int) -> LineageSpan | None:
    """Whom an evaluation at `step` met in `slot`: it comes before the births of the same step."""
    for span in lineage.spans:
        born_before = span.start_step < step or (span.parent is None and span.start_step == step)
        if span.slot == slot and born_before and (span.end_step is None or step <= span.end_step):
            return span
    return None


def winner(lineage: RunLineage, returns: Series | None) -> Winner | None:
    """The best member at the last evaluation; nobody before the first, or when no return is a number."""
    if returns is None or not len(returns.steps):
        return None
    step = int(returns.steps[-1])
    numbers = {slot: value for slot, value in enumerate(returns.values[-1].tolist()) if value == value}
    if not numbers:
        return None
    slot = max(numbers, key=lambda each: numbers[each])
    span = evaluated_at(lineage, slot, step)
    return None if span is None else Winner(span, numbers[slot], step)


def choose(lineage: RunLineage, returns: Series | None, member: Member) -> LineageSpan:
    """Raises `NoSuchMember`."""
    if member == "best":
        best = winner(lineage, returns)
        if best is None:
            raise NoSuchMember("no member is the best yet, because none was evaluated; name one by its number")
        return best.span
    for span in living(lineage):
        if span.slot == member:
            return span
    raise NoSuchMember(
        f"there is no member {member}; members are numbered from 0 to {lineage.population_size - 1}"
        if lineage.spans
        else f"there is no member {member}: nobody is born yet"
    )
