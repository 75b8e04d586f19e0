"""Which hyper-parameter predicts progress, and how sure that is.

    progress of a span  ≈  a constant + a step for the level of each of its hyper-parameters

This is fitted by least squares, with steps held back towards none as if some average spans had been seen at each level,
to spans drawn with replacement, and judged on those that were not drawn. What a
hyper-parameter is worth is how much worse the prediction of these gets without its steps. So what was only fitted to
chance counts nothing or less, and the spread over draws is how sure it is. Interactions are not seen.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.explain.ranks import Numbers
from phylon.statistics import Estimate

DRAWS = 400
LARGEST_DRAW = 12_000_000
"""Products at once over all draws; a huge number of spans gets fewer of them."""
LEAST_SPANS = 20
SPANS_A_STEP = 5
"""For each number that is fitted."""
SHRINKAGE = 4
"""Average spans that each level is taken to have beside its own: values travel together from parent to child, and a
free fit would balance large steps against each other."""
LEAST_RUNS = 8
"""From here on whole runs are drawn: what holds in one run may not hold in the next."""


class Observations(NamedTuple):
    levels: Sequence[NDArray[np.int64]]
    """[spans] for each hyper-parameter."""
    progress: Numbers
    """[spans]"""
    weights: Numbers
    """[spans], how much each counts."""
    units: NDArray[np.int64]
    """[spans], of which unit each is; units are drawn whole."""


class Importance(NamedTuple):
    explained: Estimate
    """By all together."""
    each: list[Estimate]


def spans_needed(levels: Sequence[NDArray[np.int64]]) -> int:
    fitted = 1 + sum(int(each.max(initial=0)) for each in levels)
    return max(LEAST_SPANS, SPANS_A_STEP * fitted)


def importance_of(observed: Observations, seed: int) -> Importance | None:
    """None where there are too few spans, or none differs from another."""
    if len(observed.progress) < spans_needed(observed.levels) or np.ptp(observed.progress) == 0:
        return None
    blocks = [_steps(each) for each in observed.levels]
    design = np.concatenate([np.ones((len(observed.progress), 1)), *blocks], axis=1)
    ends = np.cumsum([1, *(block.shape[1] for block in blocks)])
    columns = [slice(start, end) for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    random = np.random.default_rng(seed)
    units = int(observed.units.max()) + 1
    draws = max(100, min(DRAWS, LARGEST_DRAW // design.size))
    found: list[Numbers] = []
    for _ in range(draws):
        drawn = np.bincount(random.integers(units, size=units), minlength=units)[observed.units]
        shares = judge(design, columns, observed.progress, observed.weights * drawn, observed.weights * (drawn == 0))
        if shares is not None:
            found.append(shares)
    if len(found) < draws / 2:
        return None
    explained, *each = (_estimate(draw) for draw in np.stack(found, axis=1))
    return Importance(explained, each)


def judge(
    design: Numbers, columns: Sequence[slice], progress: Numbers, fitted: Numbers, judged: Numbers
) -> Numbers | None:
    """What is explained of the spans with a weight in `judged`, by all columns together and by each alone, after a fit
    to those with a weight in `fitted`. None where these do not differ."""
    if not judged.any():
        return None
    coefficients = fit(design, progress, fitted)
    level = float(np.average(progress, weights=fitted))
    total = float((judged * (progress - level) ** 2).sum())
    if total == 0:
        return None
    error = progress - design @ coefficients
    shares = [1 - float((judged * error**2).sum()) / total]
    for each in columns:
        part = design[:, each] @ coefficients[each]
        without = error + part - np.average(part, weights=fitted)
        shares.append(float((judged * (without**2 - error**2)).sum()) / total)
    return np.array(shares)


def fit(design: Numbers, target: Numbers, weights: Numbers) -> Numbers:
    """Weighted least squares with a penalty on all columns but the first, which is the constant."""
    penalty = np.full(design.shape[1], SHRINKAGE * weights.sum() / np.count_nonzero(weights))
    penalty[0] = 0
    # Not by a product of matrices: its threads wait for each other for longer than this takes on a busy machine.
    moments: Numbers = np.einsum("ni,nj->ij", design * weights[:, np.newaxis], design) + np.diag(penalty)
    return np.linalg.solve(moments, design.T @ (weights * target)).astype(np.float64)


def _steps(levels: NDArray[np.int64]) -> Numbers:
    """A column for each level."""
    return np.equal(levels[:, np.newaxis], np.arange(int(levels.max()) + 1)).astype(np.float64)


def _estimate(draws: Numbers) -> Estimate:
    low, high = np.percentile(draws, (2.5, 97.5)).tolist()
    return Estimate(float(draws.mean()), low, high)
