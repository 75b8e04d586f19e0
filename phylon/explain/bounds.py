"""How long values lay at a bound: a sign that the best ones may lie beyond it."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from phylon.contract.explanations import BoundSide, SpanOutcome
from phylon.contract.lineage import Tuned

CLOSE = 0.01
"""Share of the range, on its own scale, within which a value is at the bound."""
MOST = 0.5


class AtBounds(NamedTuple):
    """In steps of members."""

    low: int
    high: int
    total: int

    def side(self) -> BoundSide | None:
        """The bound at which most of the steps were spent."""
        for steps, side in ((self.low, BoundSide.LOW), (self.high, BoundSide.HIGH)):
            if steps > MOST * self.total:
                return side
        return None


def at_bounds(spans: Iterable[SpanOutcome], tuned: Tuned) -> AtBounds:
    """Of a list of choices there is no beyond, so nothing is at a bound."""
    low = high = total = 0
    for span in spans:
        if tuned.name not in span.values:
            continue
        steps, place = span.end_step - span.start_step, place_in_range(span.values[tuned.name], tuned)
        total += steps
        low += steps if place <= CLOSE else 0
        high += steps if place >= 1 - CLOSE else 0
    return AtBounds(0, 0, total) if tuned.scale == "choice" else AtBounds(low, high, total)


def place_in_range(value: float, tuned: Tuned) -> float:
    """From 0 at the lower bound to 1 at the upper one."""
    if tuned.scale == "log":
        if value <= 0:
            return 0.0
        return math.log(value / tuned.low) / math.log(tuned.high / tuned.low)
    return (value - tuned.low) / (tuned.high - tuned.low)
