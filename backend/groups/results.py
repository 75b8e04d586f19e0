"""What the experiments of a group have come to, each and together."""

from typing import NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.comparisons.arms import are_comparable
from phylon.backend.comparisons.scores import Sample, finite, read_samples
from phylon.backend.experiments.summary import summarise
from phylon.backend.groups.arrangement import of_group
from phylon.backend.models import Group
from phylon.contract.comparisons import ScoreSource
from phylon.contract.experiments import ExperimentSummary
from phylon.contract.groups import Aggregate, Estimate, GroupExperiment, GroupOf
from phylon.statistics import Scores, aggregate, estimate, mean, seed_of


class Results(NamedTuple):
    of: GroupOf
    experiments: list[GroupExperiment]
    comparable: bool
    aggregate: Aggregate | None


def read_results(session: Session, group: Group) -> Results:
    experiments = group.experiments
    sampled = read_samples(session, experiments)
    rows = [_row(summary, sampled[summary.id]) for summary in summarise(experiments)]
    comparable = are_comparable([(experiment.suite, experiment.environment) for experiment in experiments])
    evaluated = [scores for scores in map(finite, sampled.values()) if scores.size]
    of = of_group(group)
    is_one_result = of == GroupOf.TASKS and comparable and bool(evaluated)
    return Results(of, rows, comparable, _aggregate(evaluated) if is_one_result else None)


def _row(summary: ExperimentSummary, samples: list[Sample]) -> GroupExperiment:
    scores = finite(samples)
    # Seeded as comparisons are, so that an experiment has one interval wherever it is shown.
    found = estimate([scores], mean, seed_of(f"experiment-{summary.id}")) if scores.size else None
    return GroupExperiment(
        **dict(summary),
        score=found and found.value,
        low=found and found.low,
        high=found and found.high,
        is_final=_are_final(samples, summary.replicates),
        samples=scores.size,
    )


def _are_final(samples: list[Sample], runs: int) -> bool:
    finals = {sample.run.id for sample in samples if sample.source == ScoreSource.FINAL}
    return len(finals) == runs


def _aggregate(evaluated: list[Scores]) -> Aggregate:
    found = aggregate(evaluated)
    return Aggregate(
        experiments=len(evaluated),
        samples=sum(scores.size for scores in evaluated),
        mean=Estimate(**found.mean._asdict()),
        interquartile_mean=Estimate(**found.interquartile_mean._asdict()),
    )
