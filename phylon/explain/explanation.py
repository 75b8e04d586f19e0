"""All that explains a run, or several pooled, in one answer."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from phylon.contract.explanations import (
    DonorNoise,
    DrawnUnit,
    Explanation,
    HyperparameterExplanation,
    SpanOutcome,
    ValueLevel,
)
from phylon.contract.groups import Estimate
from phylon.contract.lineage import RunLineage, Tuned
from phylon.contract.vocabulary import MetricName
from phylon.explain.bounds import AtBounds, at_bounds
from phylon.explain.importance import LEAST_RUNS, Observations, importance_of, spans_needed
from phylon.explain.levels import levels_of
from phylon.explain.outcomes import outcomes_of
from phylon.explain.selection_noise import donor_noise, summarise_noise
from phylon.series import Series
from phylon.spec import ExperimentSpec
from phylon.spec.selection import TruncationSelection, WinnerTakesAll, donors
from phylon.statistics import Estimate as Estimated

METRICS = (
    MetricName.EVALUATION_RETURN.value,
    MetricName.EVALUATION_RETURN_STDERR.value,
    MetricName.EVALUATION_FITNESS.value,
    MetricName.EVALUATION_FITNESS_STDERR.value,
)
"""What of a run's metrics an explanation rests on."""


FEW = 3
"""Evaluations after which a span counts half of what it can at most: beyond some, more say little that is new."""


class ExplainedRun(NamedTuple):
    id: int | None
    lineage: RunLineage
    series: Mapping[str, Series]
    """Those of `METRICS` that there are."""
    donors: int | None
    """How many of the best its selection copies from; None where it goes otherwise about it."""


def donors_of(spec: ExperimentSpec) -> int | None:
    match getattr(spec.population.method, "selection", None):
        case TruncationSelection() as selection:
            return donors(spec.population.size, selection)
        case WinnerTakesAll():
            return 1
        case _:
            return None


def explain(runs: Sequence[ExplainedRun]) -> Explanation:
    spans = [outcomes_of(run.lineage, run.series.get(METRICS[0]), run.id) for run in runs]
    tuned = _common(runs)
    found = _hyperparams(runs, spans, tuned)
    return Explanation(
        run_ids=[run.id for run in runs if run.id is not None],
        hyperparams=found.hyperparams,
        spans=[span for of_run in spans for span in of_run],
        observed=found.observed,
        needed=found.needed,
        explained=found.explained,
        unit=_unit(runs),
        noise=summarise_noise((noise for run in runs for noise in _noise(run)), _chance(runs)),
    )


class _Found(NamedTuple):
    hyperparams: list[HyperparameterExplanation]
    observed: int
    needed: int
    explained: Estimate | None


def _hyperparams(runs: Sequence[ExplainedRun], spans: Sequence[list[SpanOutcome]], tuned: Sequence[Tuned]) -> _Found:
    names = [each.name for each in tuned]
    used = [
        (number, span, span.progress)
        for number, of_run in enumerate(spans)
        for span in of_run
        if span.progress is not None and all(name in span.values for name in names)
    ]
    progress = np.array([each for _, _, each in used], np.float64)
    weights = np.array([span.evaluations for _, span, _ in used], np.float64)
    values = {name: np.array([span.values[name] for _, span, _ in used], np.float64) for name in names}
    levels = {each.name: levels_of(values[each.name], each.scale == "choice") for each in tuned}
    differing = [name for name in names if levels[name].max(initial=0) > 0]
    units = np.array([number for number, _, _ in used]) if _unit(runs) is DrawnUnit.RUN else np.arange(len(used))
    observed = Observations([levels[name] for name in differing], progress, weights / (weights + FEW), units)
    found = importance_of(observed, 0) if differing else None
    importance = dict(zip(differing, map(_read, found.each), strict=True)) if found else {}

    def of_level(name: str, level: int) -> ValueLevel:
        here = levels[name] == level
        return ValueLevel(
            low=float(values[name][here].min()),
            high=float(values[name][here].max()),
            spans=int(here.sum()),
            progress=float(np.average(progress[here], weights=weights[here])),
        )

    def of_name(each: Tuned) -> HyperparameterExplanation:
        bounds = _at_bounds(runs, spans, each.name)
        return HyperparameterExplanation(
            tuned=each,
            importance=importance.get(each.name),
            levels=[of_level(each.name, level) for level in range(levels[each.name].max(initial=-1) + 1)],
            at_low=bounds.low / bounds.total if bounds.total else 0.0,
            at_high=bounds.high / bounds.total if bounds.total else 0.0,
            bound=bounds.side(),
        )

    explained = sorted(
        map(of_name, tuned), key=lambda each: -each.importance.value if each.importance else float("inf")
    )
    return _Found(explained, len(used), spans_needed(observed.levels), _read(found.explained) if found else None)


def _common(runs: Sequence[ExplainedRun]) -> list[Tuned]:
    """What all of them tune in the same way, with the widest bounds of any."""
    first, *others = [{each.name: each for each in run.lineage.tuned} for run in runs]
    return [
        each.model_copy(update={"low": min(one.low for one in alike), "high": max(one.high for one in alike)})
        for name, each in first.items()
        for alike in [[each, *(other[name] for other in others if name in other)]]
        if len(alike) == len(runs) and len({(one.scale == "choice", tuple(one.names or ())) for one in alike}) == 1
    ]


def _at_bounds(runs: Sequence[ExplainedRun], spans: Sequence[list[SpanOutcome]], name: str) -> AtBounds:
    """Each run's values against its own bounds."""
    each = [
        at_bounds(of_run, tuned)
        for run, of_run in zip(runs, spans, strict=True)
        for tuned in run.lineage.tuned
        if tuned.name == name
    ]
    return AtBounds(*(sum(steps) for steps in zip(*each, strict=True)))


def _noise(run: ExplainedRun) -> list[DonorNoise]:
    fitness = next((run.series[name] for name in (METRICS[2], METRICS[0]) if name in run.series), None)
    errors = run.series.get(METRICS[3] if METRICS[2] in run.series else METRICS[1])
    return donor_noise(run.lineage, fitness, errors, run.donors, run.id)


def _chance(runs: Sequence[ExplainedRun]) -> float | None:
    shares = {None if run.donors is None else run.donors / run.lineage.population_size for run in runs}
    return shares.pop() if len(shares) == 1 else None


def _unit(runs: Sequence[ExplainedRun]) -> DrawnUnit:
    return DrawnUnit.RUN if len(runs) >= LEAST_RUNS else DrawnUnit.SPAN


def _read(found: Estimated) -> Estimate:
    return Estimate(**found._asdict())
