"""One arm against another, on the tasks that both have."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from phylon.statistics.aggregates import Scores, Statistic

_CERTAIN, _POWERFUL = 1.959964, 0.841621
"""Of a standard normal: half its 95 % interval, and what 80 % lie below."""


def difference(statistic: Statistic) -> Callable[[Sequence[Scores], Sequence[Scores]], Scores]:
    def of_both(first: Sequence[Scores], second: Sequence[Scores]) -> Scores:
        return statistic(first) - statistic(second)

    return of_both


def probability_of_improvement(first: Sequence[Scores], second: Sequence[Scores]) -> Scores:
    """That a replicate of the first beats one of the second on the same task (Mann–Whitney's U by its largest value;
    a tie counts half), the mean over tasks. It says nothing of how much better."""
    shares: list[Scores] = []
    for one, other in zip(first, second, strict=True):
        left, right = one[:, :, np.newaxis], other[:, np.newaxis, :]
        shares.append((left > right).mean(axis=(1, 2)) + (left == right).mean(axis=(1, 2)) / 2)
    return np.mean(shares, axis=0)


def replicates_needed(first: Sequence[Scores], second: Sequence[Scores], observed: float) -> int | None:
    """How many each arm needs on every task to see a difference in means as large as `observed`, four times
    out of five: by a normal approximation with the spread seen so far. None where that cannot be said: no difference,
    no spread, or a single replicate."""
    if observed == 0 or not math.isfinite(observed) or min(len(scores) for scores in (*first, *second)) < 2:
        return None
    variance = sum(float(scores.var(ddof=1)) for scores in (*first, *second)) / len(first) ** 2
    if variance == 0:
        return None
    return max(2, math.ceil((_CERTAIN + _POWERFUL) ** 2 * variance / observed**2))
