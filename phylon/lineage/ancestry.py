"""Who descends from whom.

Generations are copies from one slot into another: a reset renews a member, but makes no new generation.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from phylon.results import RunLineage, SegmentInTime, Series

Path = Sequence[SegmentInTime]
"""From a founder to a descendant."""

Member = Literal["best"] | int
"""The best at the last evaluation, or whoever lives in a slot."""


class NoSuchMember(LookupError):
    """The message says who was asked for, and who there is."""


class Winner(NamedTuple):
    segment: SegmentInTime
    fitness: float
    step: int
    """Of the evaluation that it won."""


class Shares(NamedTuple):
    """Whose descendants the population consists of, from `step` on."""

    step: int
    founders: dict[int, float]
    """Share of the population by the founder's segment, largest first; those that died out are left out."""


def by_id(lineage: RunLineage) -> dict[int, SegmentInTime]:
    return {segment.id: segment for segment in lineage.segments}


def in_order_of_birth(lineage: RunLineage) -> list[SegmentInTime]:
    return sorted(lineage.segments, key=lambda segment: (segment.start_step, segment.id))


def living(lineage: RunLineage) -> list[SegmentInTime]:
    """By slot."""
    return sorted((segment for segment in lineage.segments if segment.end_step is None), key=lambda each: each.slot)


def ancestry(lineage: RunLineage, segment: int) -> list[SegmentInTime]:
    return path_to(by_id(lineage), segment)


def path_to(segments: Mapping[int, SegmentInTime], segment: int) -> list[SegmentInTime]:
    path: list[SegmentInTime] = []
    current = segments.get(segment)
    while current is not None:
        path.append(current)
        current = None if current.parent is None else segments.get(current.parent)
    return path[::-1]


def copies(path: Path) -> int:
    """How often the path goes from one slot to another."""
    return sum(parent.slot != child.slot for parent, child in pairwise(path))


def common_ancestor(lineage: RunLineage) -> SegmentInTime | None:
    """The latest from which all living members descend; nobody while several founders live on."""
    segments = by_id(lineage)
    shared: SegmentInTime | None = None
    for generation in zip(*(path_to(segments, segment.id) for segment in living(lineage)), strict=False):
        if len({segment.id for segment in generation}) > 1:
            break
        shared = generation[0]
    return shared


def generations_to_common_ancestor(lineage: RunLineage) -> int | None:
    """Copies between the common ancestor and that living member which is furthest from it."""
    ancestor = common_ancestor(lineage)
    if ancestor is None:
        return None
    segments = by_id(lineage)
    before = copies(path_to(segments, ancestor.id))
    return max(copies(path_to(segments, segment.id)) for segment in living(lineage)) - before


def founders(lineage: RunLineage) -> dict[int, int]:
    """The founder of every segment, by segment."""
    found: dict[int, int] = {}
    for segment in in_order_of_birth(lineage):
        parent = segment.parent
        found[segment.id] = found.get(parent, segment.id) if parent is not None else segment.id
    return found


def founder_shares(lineage: RunLineage) -> list[Shares]:
    """At the start and at every step at which the shares changed."""
    founder_of = founders(lineage)
    lives_in: dict[int, int] = {}
    over_time: list[Shares] = []
    for step, born in groupby(in_order_of_birth(lineage), key=lambda segment: segment.start_step):
        lives_in |= {segment.slot: founder_of[segment.id] for segment in born}
        shares = {
            founder: count / len(lives_in)
            for founder, count in sorted(Counter(lives_in.values()).items(), key=lambda item: (-item[1], item[0]))
        }
        if not over_time or over_time[-1].founders != shares:
            over_time.append(Shares(step, shares))
    return over_time


def evaluated_at(lineage: RunLineage, slot: int, step: int) -> SegmentInTime | None:
    """Whom an evaluation at `step` met in `slot`: it comes before the births of the same step."""
    for segment in lineage.segments:
        born_before = segment.start_step < step or (segment.parent is None and segment.start_step == step)
        if segment.slot == slot and born_before and (segment.end_step is None or step <= segment.end_step):
            return segment
    return None


def winner(lineage: RunLineage, fitness: Series | None) -> Winner | None:
    """The best member at the last evaluation; nobody before the first, or when no fitness is a number."""
    if fitness is None or not len(fitness.steps):
        return None
    step = int(fitness.steps[-1])
    numbers = {slot: value for slot, value in enumerate(fitness.values[-1].tolist()) if value == value}
    if not numbers:
        return None
    slot = max(numbers, key=lambda each: numbers[each])
    segment = evaluated_at(lineage, slot, step)
    return None if segment is None else Winner(segment, numbers[slot], step)


def choose(lineage: RunLineage, fitness: Series | None, member: Member) -> SegmentInTime:
    """Raises `NoSuchMember`."""
    if member == "best":
        best = winner(lineage, fitness)
        if best is None:
            raise NoSuchMember("no member is the best yet, because none was evaluated; name one by its number")
        return best.segment
    for segment in living(lineage):
        if segment.slot == member:
            return segment
    raise NoSuchMember(
        f"there is no member {member}; members are numbered from 0 to {lineage.population_size - 1}"
        if lineage.segments
        else f"there is no member {member}: nobody is born yet"
    )
