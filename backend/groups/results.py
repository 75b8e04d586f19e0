"""What the experiments of a group have come to, each and together."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from sqlalchemy.orm import Session

from phylon import catalogue
from phylon.backend.experiments import repository
from phylon.backend.experiments.summary import summarise
from phylon.backend.groups.aggregate import Scores, aggregate
from phylon.backend.metrics.frames import unpack
from phylon.backend.models import Experiment
from phylon.contract.experiments import ExperimentSummary
from phylon.contract.groups import Aggregate, Estimate, GroupExperiment
from phylon.registry import methods
from phylon.returns import RETURN, best_of


class Results(NamedTuple):
    experiments: list[GroupExperiment]
    comparable: bool
    aggregate: Aggregate | None


def read_results(session: Session, experiments: list[Experiment]) -> Results:
    scores = _scores(session, experiments)
    rows = [_row(summary, scores[summary.id]) for summary in summarise(session, experiments)]
    comparable = are_comparable([(experiment.suite, experiment.environment) for experiment in experiments])
    evaluated = [samples for samples in scores.values() if samples.size]
    return Results(rows, comparable, _aggregate(evaluated) if comparable and evaluated else None)


def are_comparable(environments: list[tuple[str, str]]) -> bool:
    """Returns mean the same in one environment, and in dm_control, whose tasks all pay 0 to 1000 an episode."""
    entries = [catalogue.find(*environment) for environment in set(environments)]
    return len(entries) == 1 or all(entry is not None and entry.family == "dm_control" for entry in entries)


def _scores(session: Session, experiments: list[Experiment]) -> dict[int, Scores]:
    """The samples of each experiment at the last evaluation of its runs; those that are no number are left out."""
    run_ids = [run.id for experiment in experiments for run in experiment.runs]
    frames: dict[int, Scores] = defaultdict(lambda: np.empty(0))
    for frame in repository.sampled_evaluations(session, run_ids, RETURN, 1):
        frames[frame.run_id] = unpack(frame.data).astype(np.float64)
    scores: dict[int, Scores] = {}
    for experiment in experiments:
        returns = [frames[run.id] for run in experiment.runs if frames[run.id].size]
        if not _is_sample_per_member(experiment.method):  # members that copy each other are one sample: their best
            returns = [np.array([best_of(each)]) for each in returns]
        samples = np.concatenate(returns) if returns else np.empty(0)
        scores[experiment.id] = samples[np.isfinite(samples)]
    return scores


def _is_sample_per_member(method: str) -> bool:
    """A method that is no longer installed may have copied members."""
    return method in methods() and methods()[method].is_sample_per_member


def _row(summary: ExperimentSummary, samples: Scores) -> GroupExperiment:
    final_return = float(samples.mean()) if samples.size else None
    return GroupExperiment(**dict(summary), final_return=final_return, samples=samples.size)


def _aggregate(evaluated: list[Scores]) -> Aggregate:
    found = aggregate(evaluated)
    return Aggregate(
        experiments=len(evaluated),
        samples=sum(samples.size for samples in evaluated),
        mean=Estimate(**found.mean._asdict()),
        interquartile_mean=Estimate(**found.interquartile_mean._asdict()),
    )
