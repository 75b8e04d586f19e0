"""How often a donor would have been chosen again, were the error of the evaluation to fall otherwise.

Fitness is drawn again around what was measured, with its standard error, for every member by itself. Members play the
same episodes, so their errors partly agree, which this does not see: selection is a little surer than these numbers.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np

from phylon.contract.explanations import DonorNoise, SelectionNoise
from phylon.contract.lineage import LineageSpan, RunLineage
from phylon.explain.ranks import Numbers
from phylon.lineage.ancestry import by_id, in_order_of_birth
from phylon.series import Series
from phylon.statistics import seed_of

DRAWS = 1000
LARGEST_DRAW = 4_000_000


def donor_noise(
    lineage: RunLineage, fitness: Series | None, errors: Series | None, donors: int | None, run_id: int | None = None
) -> list[DonorNoise]:
    """Of every copy from one slot into another, in order. `donors`: how many of the best the rule copies from."""
    spans = by_id(lineage)
    copies = [
        (span, spans[span.parent].slot)
        for span in in_order_of_birth(lineage)
        if span.parent is not None and span.parent in spans and spans[span.parent].slot != span.slot
    ]
    moments = len({span.start_step for span, _ in copies})
    draws = max(100, min(DRAWS, LARGEST_DRAW // max(1, moments * lineage.population_size)))
    found: list[DonorNoise] = []
    for step, born in groupby(copies, key=lambda copy: copy[0].start_step):
        measured = _at(fitness, step), _at(errors, step)
        found += _of_moment(list(born), *measured, donors, draws, run_id)
    return found


def _of_moment(
    born: list[tuple[LineageSpan, int]],
    fitness: Numbers | None,
    errors: Numbers | None,
    donors: int | None,
    draws: int,
    run_id: int | None,
) -> Iterator[DonorNoise]:
    again = None
    if fitness is not None and errors is not None and donors is not None and _is_known(fitness, errors):
        again = chosen_again(fitness, errors, donors, draws, seed_of(born[0][0].start_step))
    for span, donor in born:
        yield DonorNoise(
            run_id=run_id,
            step=span.start_step,
            span=span.id,
            member=span.slot,
            donor=donor,
            donor_again=None if again is None else float(again[donor]),
            ahead_again=None if fitness is None or errors is None else ahead_again(fitness, errors, donor, span.slot),
        )


def chosen_again(fitness: Numbers, errors: Numbers, donors: int, draws: int, seed: int) -> Numbers:
    """[members]: how often each is among the `donors` best. Who has no fitness never is."""
    is_missing = np.isnan(fitness)
    means = np.where(is_missing, -np.inf, fitness)
    random = np.random.default_rng(seed)
    drawn = means + np.where(is_missing, 0, errors) * random.standard_normal((draws, len(fitness)))
    # Of equals the lower slot wins, as in selection.
    order = np.argsort(-drawn, axis=1, kind="stable")[:, :donors]
    shares = np.bincount(order.ravel(), minlength=len(fitness)) / draws
    return np.where(is_missing, 0.0, shares)


def ahead_again(fitness: Numbers, errors: Numbers, donor: int, replaced: int) -> float | None:
    """Probability that the donor is ahead, both errors being normal. A member without fitness is behind everyone."""
    if np.isnan(fitness[donor]):
        return None
    if np.isnan(fitness[replaced]):
        return 1.0
    gap, spread = float(fitness[donor] - fitness[replaced]), math.hypot(errors[donor], errors[replaced])
    if math.isnan(spread):
        return None
    if spread == 0:
        return 0.5 if gap == 0 else float(gap > 0)
    return 0.5 * (1 + math.erf(gap / spread / math.sqrt(2)))


def summarise_noise(donors: Iterable[DonorNoise], chance: float | None) -> SelectionNoise:
    found = list(donors)
    again = [each.donor_again for each in found if each.donor_again is not None]
    ahead = [each.ahead_again for each in found if each.ahead_again is not None]
    return SelectionNoise(
        copies=len(found),
        known=len(ahead),
        donor_again=sum(again) / len(again) if again else None,
        ahead_again=sum(ahead) / len(ahead) if ahead else None,
        chance=chance if again else None,
        donors=found,
    )


def _at(series: Series | None, step: int) -> Numbers | None:
    """The latest until `step`: selection follows an evaluation at the same step."""
    if series is None:
        return None
    tick = bisect_right(series.steps, step) - 1
    return None if tick < 0 else series.values[tick]


def _is_known(fitness: Numbers, errors: Numbers) -> bool:
    is_there = ~np.isnan(fitness)
    return bool(is_there.any()) and not np.isnan(errors[is_there]).any()
