"""What births brought: the return of a child at its first evaluation, beside that of those it came from."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import NamedTuple, TypeVar

from phylon.contract.events import Operator
from phylon.contract.lineage import Gain, LineageSpan, MoveGain, OperatorGain, RunLineage, Tuned
from phylon.lineage.ancestry import by_id
from phylon.series import Series

Key = TypeVar("Key")


class Birth(NamedTuple):
    child: LineageSpan
    gain: Gain


def births(lineage: RunLineage, returns: Series | None) -> list[Birth]:
    """Of all who have a parent, in order."""
    spans = by_id(lineage)
    steps: list[int] = returns.steps.tolist() if returns else []
    values: list[list[float]] = returns.values.tolist() if returns else []

    def at(span: LineageSpan, tick: int) -> float | None:
        """Return of `span` at an evaluation that it lived to see."""
        if not 0 <= tick < len(steps) or (span.end_step is not None and steps[tick] > span.end_step):
            return None
        return values[tick][span.slot] if span.slot < len(values[tick]) else None

    found: list[Birth] = []
    for child in lineage.spans:
        parent = spans.get(child.parent) if child.parent is not None else None
        if parent is None:
            continue
        tick = bisect_right(steps, child.start_step)  # an evaluation at the step of a birth comes before it
        first = at(child, tick)
        beside = at(parent, tick) if parent.slot != child.slot else None
        gain = Gain(
            over_replaced=_difference(first, child.fitness),
            over_parent=_difference(first, child.parent_fitness),
            beside_parent=_difference(first, beside),
        )
        found.append(Birth(child, gain))
    return found


def by_operator(born: Iterable[Birth]) -> list[OperatorGain]:
    """Most frequent first."""
    groups = _group(born, _operator)
    return [
        OperatorGain(
            operator=operator,
            births=len(group),
            over_replaced=_mean(birth.gain.over_replaced for birth in group),
            over_parent=_mean(birth.gain.over_parent for birth in group),
            beside_parent=_mean(birth.gain.beside_parent for birth in group),
        )
        for operator, group in groups
    ]


def by_move(born: Iterable[Birth], tuned: Sequence[Tuned]) -> list[MoveGain]:
    """Most frequent first. Keeping a value is a move too: its gain is what chance and the other values did."""
    groups = _group(born, lambda birth: [(each.name, move) for each in tuned if (move := _move(birth.child, each))])
    return [
        MoveGain(
            name=name,
            move=move,
            births=len(group),
            beside_parent=_mean(birth.gain.beside_parent for birth in group),
            helped=_mean(
                None if birth.gain.beside_parent is None else float(birth.gain.beside_parent > 0) for birth in group
            ),
        )
        for (name, move), group in groups
    ]


def _operator(birth: Birth) -> list[Operator]:
    return [birth.child.operator]


def _move(child: LineageSpan, tuned: Tuned) -> str | None:
    before, after = (child.hyperparams_before or {}).get(tuned.name), child.hyperparams.get(tuned.name)
    if before is None or after is None:
        return None
    if before == after:
        return "kept"
    if tuned.names is not None:
        return f"to {tuned.names[int(after)]}"
    return "up" if after > before else "down"


def _group(born: Iterable[Birth], keys: Callable[[Birth], Sequence[Key]]) -> list[tuple[Key, list[Birth]]]:
    groups: dict[Key, list[Birth]] = {}
    for birth in born:
        for key in keys(birth):
            groups.setdefault(key, []).append(birth)
    return sorted(groups.items(), key=lambda item: (-len(item[1]), str(item[0])))


def _difference(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other


def _mean(values: Iterable[float | None]) -> float | None:
    """Of those that are finite numbers."""
    numbers = [value for value in values if value is not None and isfinite(value)]
    return sum(numbers) / len(numbers) if numbers else None
