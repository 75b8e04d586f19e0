"""What came of every span, measured against the others at the same time.

A return says more about when it was measured than about the values it was reached with: late spans are better. So a
span is compared with the rest of its population between the same two evaluations, by how much each improved.
"""

import math
from bisect import bisect_right
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.contract.explanations import SpanOutcome
from phylon.contract.lineage import LineageSpan, RunLineage
from phylon.explain.ranks import Numbers, percentiles
from phylon.series import Series

NOBODY = -1


class Measured(NamedTuple):
    """By evaluation and slot, [ticks, slots] each."""

    who: NDArray[np.int64]
    """Place of the span in the lineage, or `NOBODY`."""
    before: Numbers
    """What its weights were worth at the evaluation before."""
    after: Numbers


def outcomes_of(lineage: RunLineage, returns: Series | None, run_id: int | None = None) -> list[SpanOutcome]:
    """Of every span, in the order of the lineage."""
    measured = measure(lineage, returns)
    count = len(lineage.spans)
    progress = _means(measured.who, percentiles(improvements(measured)), count)
    standing = _means(measured.who, percentiles(_worst_if_missing(measured.after, measured.who)), count)
    evaluations = np.bincount(measured.who[measured.who != NOBODY], minlength=count)
    names = {tuned.name for tuned in lineage.tuned}
    return [
        SpanOutcome(
            run_id=run_id,
            span=span.id,
            member=span.slot,
            start_step=span.start_step,
            end_step=lineage.end_step if span.end_step is None else span.end_step,
            values={name: value for name, value in span.hyperparams.items() if name in names and math.isfinite(value)},
            evaluations=int(evaluations[place]),
            last_return=last,
            gain=None if last is None or first is None else last - first,
            standing=_known(standing[place]),
            progress=_known(progress[place]),
        )
        for place, span in enumerate(lineage.spans)
        for first, last in [_ends(measured, span, place)]
    ]


def measure(lineage: RunLineage, returns: Series | None) -> Measured:
    steps: list[int] = [] if returns is None else returns.steps.tolist()
    shape = (len(steps), lineage.population_size)
    after = np.full(shape, np.nan)
    if returns is not None and steps:
        members = min(shape[1], returns.values.shape[1])
        after[:, :members] = returns.values[:, :members]
    who, before = np.full(shape, NOBODY, np.int64), np.full(shape, np.nan)
    before[1:] = after[:-1]
    slots = {span.id: span.slot for span in lineage.spans}
    for place, span in enumerate(lineage.spans):
        first, end = _lived(span, steps)
        who[first:end, span.slot] = place
        if first < end:
            donor = None if span.parent is None else slots.get(span.parent)
            before[first, span.slot] = np.nan if donor is None or first == 0 else after[first - 1, donor]
    # Where all weights are new, they begin alike.
    is_measured = (who != NOBODY) & ~np.isnan(after)
    is_new = np.isnan(before) & is_measured
    all_new = is_measured.any(axis=1) & (is_new == is_measured).all(axis=1)
    before[all_new] = np.where(who[all_new] == NOBODY, np.nan, 0.0)
    return Measured(who, before, after)


def improvements(measured: Measured) -> Numbers:
    """By how much each improved since the evaluation before. Who had a return and has none any more did worst."""
    with np.errstate(invalid="ignore"):  # between two infinities
        change = measured.after - measured.before
    is_lost = ~np.isnan(measured.before) & np.isnan(measured.after)
    change = np.where(is_lost, -np.inf, change)
    return np.where(measured.who == NOBODY, np.nan, change)


def _lived(span: LineageSpan, steps: list[int]) -> tuple[int, int]:
    """The evaluations that met it, from the first to the one after the last: one at the step of a birth comes before
    the birth, but founders are there from the beginning."""
    is_founder = span.parent is None and span.start_step == 0
    first = 0 if is_founder else bisect_right(steps, span.start_step)
    return first, len(steps) if span.end_step is None else bisect_right(steps, span.end_step)


def _ends(measured: Measured, span: LineageSpan, place: int) -> tuple[float | None, float | None]:
    """What its weights were worth when it began, and at its last evaluation."""
    ticks = np.flatnonzero(measured.who[:, span.slot] == place)
    if not len(ticks):
        return None, None
    began = None if span.parent is None else _known(measured.before[ticks[0], span.slot])
    return began, _known(measured.after[ticks[-1], span.slot])


def _worst_if_missing(after: Numbers, who: NDArray[np.int64]) -> Numbers:
    return np.where(who == NOBODY, np.nan, np.where(np.isnan(after), -np.inf, after))


def _means(who: NDArray[np.int64], shares: Numbers, count: int) -> Numbers:
    """By span; NaN for those without a share."""
    known = (who != NOBODY) & ~np.isnan(shares)
    sums = np.bincount(who[known], shares[known], minlength=count)
    counts = np.bincount(who[known], minlength=count)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
