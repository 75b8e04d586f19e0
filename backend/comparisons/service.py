"""Comparisons: the arms' numbers, their curves, and where their time went."""

from typing import NamedTuple

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.comparisons import arms as subjects_of
from phylon.backend.comparisons.arms import Subject, all_tasks, are_comparable, common_tasks
from phylon.backend.comparisons.config import differences
from phylon.backend.comparisons.measured import Measured, measure
from phylon.backend.comparisons.verdict import caveats_of, judge
from phylon.backend.experiments.status import derive
from phylon.backend.kit.errors import Invalid
from phylon.backend.models import Experiment
from phylon.contract.comparisons import (
    Arm,
    ArmPair,
    ArmProfile,
    ComparedExperiment,
    Comparison,
    CurveAxis,
    Profiles,
    Replicate,
    StatisticName,
)
from phylon.contract.experiments import GroupName
from phylon.contract.groups import Estimate
from phylon.contract.imports import ImportFormat
from phylon.statistics import Estimate as Estimated
from phylon.statistics import (
    Scores,
    Statistic,
    difference,
    estimate,
    estimate_pair,
    interquartile_mean,
    mean,
    median,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
    replicates_needed,
    seed_of,
)

STATISTICS: dict[StatisticName, Statistic] = {
    StatisticName.MEAN: mean,
    StatisticName.MEDIAN: median,
    StatisticName.IQM: interquartile_mean,
}
THRESHOLDS = 101


class NoSuchArm(Invalid):
    """The baseline is not among the arms."""

    def __init__(self, key: str, known: list[str]) -> None:
        super().__init__(f"There is no arm '{key}' in this comparison.", f"Choose one of: {', '.join(known)}.")


class Question(NamedTuple):
    """What is asked of the arms."""

    experiments: list[int]
    groups: list[int]
    metric: str
    axis: CurveAxis
    statistic: StatisticName | None
    task: str | None = None
    at: float | None = None
    target: float | None = None
    baseline: str | None = None


class Chosen(NamedTuple):
    subjects: list[Subject]
    tasks: list[str]
    """That all of them have."""
    known_tasks: list[str]
    """That any of those that were asked for has."""
    comparable: bool
    statistic: StatisticName


def choose(session: Session, viewer: Viewer, question: Question) -> Chosen:
    asked = subjects_of.choose(session, viewer, question.experiments, question.groups)
    subjects = subjects_of.only(asked, question.task)
    tasks = common_tasks(subjects)
    used = [subject.tasks[task] for subject in subjects for task in tasks]
    comparable = bool(used) and are_comparable([(each.suite, each.environment) for each in used])
    # On one task the interquartile mean would hide the runs that failed (Patterson et al. 2024).
    usual = StatisticName.IQM if len(tasks) > 1 else StatisticName.MEAN
    return Chosen(subjects, tasks, all_tasks(asked), comparable, question.statistic or usual)


def compare(session: Session, viewer: Viewer, question: Question) -> Comparison:
    chosen = choose(session, viewer, question)
    subjects, tasks = chosen.subjects, chosen.tasks
    measured = [measure(session, subject, tasks, question.metric, question.axis, question.at) for subject in subjects]
    arms = [_arm(subject, found, chosen, question) for subject, found in zip(subjects, measured, strict=True)]
    keys = [subject.key for subject in subjects]
    if question.baseline is not None and question.baseline not in keys:
        raise NoSuchArm(question.baseline, keys)
    sampled = {subject.key: each for subject, each in zip(subjects, measured, strict=True) if _is_sampled(each, tasks)}
    baseline = question.baseline or next(iter(sampled), keys[0])
    pairs = [
        _pair(key, baseline, sampled, chosen, question) for key in sampled if key != baseline and baseline in sampled
    ]
    config = differences(subjects, tasks)
    caveats = list(caveats_of(subjects, measured, arms, config, tasks, chosen.known_tasks, chosen.comparable))
    best = _best(sampled, chosen, question)
    return Comparison(
        metric=question.metric,
        axis=question.axis,
        at=question.at,
        target=question.target,
        statistic=chosen.statistic,
        tasks=tasks,
        all_tasks=chosen.known_tasks,
        comparable=chosen.comparable,
        baseline=baseline,
        arms=arms,
        pairs=pairs,
        profiles=_profiles(sampled, chosen, question),
        config=config,
        verdict=judge(measured, arms, best, chosen.statistic, tasks, caveats),
    )


def _is_sampled(measured: Measured, tasks: list[str]) -> bool:
    return bool(tasks) and all(measured.samples[task] for task in tasks)


def _seed(key: str, chosen: Chosen, question: Question) -> int:
    """Of the arm and of what is asked of it: not of the arms beside it. That of an experiment's final returns is the
    group page's."""
    if question.at is None and len(chosen.tasks) == 1:
        return seed_of(key)
    return seed_of(key, chosen.tasks, *_what(question))


def _what(question: Question) -> tuple[object, ...]:
    """Scores depend on the axis only where they are taken at a position of it."""
    return (question.metric,) if question.at is None else (question.metric, question.axis.value, question.at)


def _arm(subject: Subject, measured: Measured, chosen: Chosen, question: Question) -> Arm:
    has_numbers = chosen.comparable and _is_sampled(measured, chosen.tasks)
    scores = measured.scores(chosen.tasks) if has_numbers else []
    seed = _seed(subject.key, chosen, question)

    def of(statistic: Statistic) -> Estimate | None:
        return _read(estimate(scores, statistic, seed)) if has_numbers else None

    return Arm(
        key=subject.key,
        name=subject.name,
        experiments=[_experiment(experiment) for experiment in subject.tasks.values()],
        group=GroupName(id=subject.group.id, name=subject.group.name) if subject.group else None,
        runs=measured.runs,
        replicates=[
            Replicate(run_id=sample.run.id, member=sample.member, task=task, value=sample.value, source=sample.source)
            for task, samples in measured.samples.items()
            for sample in samples
        ],
        mean=of(mean),
        median=of(median),
        iqm=of(interquartile_mean),
        optimality_gap=None if question.target is None else of(optimality_gap(question.target)),
    )


def _experiment(experiment: Experiment) -> ComparedExperiment:
    return ComparedExperiment(
        id=experiment.id,
        name=experiment.name,
        status=derive(run.job.status for run in experiment.runs),
        environment=experiment.environment,
        algorithm=experiment.algorithm,
        method=experiment.method,
        population_size=experiment.population_size,
        imported=ImportFormat(experiment.import_format) if experiment.import_format else None,
    )


def _pair(first: str, second: str, sampled: dict[str, Measured], chosen: Chosen, question: Question) -> ArmPair:
    one, other = (sampled[key].scores(chosen.tasks) for key in (first, second))
    seed = seed_of(first, second, chosen.tasks, *_what(question))
    found = estimate_pair(one, other, difference(STATISTICS[chosen.statistic]), seed) if chosen.comparable else None
    return ArmPair(
        first=first,
        second=second,
        difference=_read(found) if found else None,
        improvement=_read(estimate_pair(one, other, probability_of_improvement, seed)),
        replicates_needed=replicates_needed(one, other, found.value) if found else None,
    )


def _best(sampled: dict[str, Measured], chosen: Chosen, question: Question) -> ArmPair | None:
    """The arm that is ahead against the next."""
    if len(sampled) < 2:
        return None

    def rank(key: str) -> float:
        scores = [each[np.newaxis] for each in sampled[key].scores(chosen.tasks)]
        if chosen.comparable:
            return float(STATISTICS[chosen.statistic](scores)[0])
        others = [other for other in sampled if other != key]
        against = [[each[np.newaxis] for each in sampled[other].scores(chosen.tasks)] for other in others]
        return float(np.mean([probability_of_improvement(scores, other)[0] for other in against]))

    first, second = sorted(sampled, key=rank, reverse=True)[:2]
    return _pair(first, second, sampled, chosen, question)


def _profiles(sampled: dict[str, Measured], chosen: Chosen, question: Question) -> Profiles | None:
    if not chosen.comparable or not sampled:
        return None
    every = np.concatenate([scores for each in sampled.values() for scores in each.scores(chosen.tasks)])
    room = 0.02 * float(every.max() - every.min()) or 1.0
    thresholds: Scores = np.linspace(float(every.min()) - room, float(every.max()) + room, THRESHOLDS, dtype=np.float64)

    def profile(key: str) -> ArmProfile:
        band = performance_profile(sampled[key].scores(chosen.tasks), thresholds, _seed(key, chosen, question))
        return ArmProfile(arm=key, share=band.value.tolist(), low=numbers(band.low), high=numbers(band.high))

    return Profiles(thresholds=thresholds.tolist(), arms=[profile(key) for key in sampled])


def numbers(values: Scores) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]


def _read(found: Estimated) -> Estimate:
    return Estimate(**found._asdict())
