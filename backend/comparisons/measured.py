"""What the runs of an arm have come to, on the tasks of a comparison."""

from typing import NamedTuple

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.comparisons.arms import Subject
from phylon.backend.comparisons.curves import on_axis, on_grid, positions, replicate_curves, updates_at
from phylon.backend.comparisons.scores import Sample, read_samples
from phylon.backend.models import Experiment, Run
from phylon.contract.comparisons import ArmBudget, CurveAxis, ScoreSource
from phylon.returns import RETURN
from phylon.statistics import Scores


class Measured(NamedTuple):
    name: str
    samples: dict[str, list[Sample]]
    """By task; all finite."""
    runs: int
    counted: list[Run]
    """Runs that have a sample."""
    left_out: int
    """Runs that have none."""
    diverged: int
    """Samples that are no number."""
    budget: ArmBudget

    def scores(self, tasks: list[str]) -> list[Scores]:
        return [np.array([sample.value for sample in self.samples[task]], np.float64) for task in tasks]


def measure(
    session: Session, subject: Subject, tasks: list[str], metric: str, axis: CurveAxis, at: float | None
) -> Measured:
    experiments = {task: subject.tasks[task] for task in tasks if task in subject.tasks}
    if metric == RETURN and at is None:
        found = read_samples(session, list(experiments.values()))
        samples = {task: found[experiment.id] for task, experiment in experiments.items()}
    else:
        samples = {
            task: _samples_on_curves(session, experiment, metric, axis, at) for task, experiment in experiments.items()
        }
    runs = [run for experiment in experiments.values() for run in experiment.runs]
    known = {sample.run.id for each in samples.values() for sample in each}
    return Measured(
        name=subject.name,
        samples={task: [sample for sample in each if np.isfinite(sample.value)] for task, each in samples.items()},
        runs=len(runs),
        counted=[run for run in runs if run.id in known],
        left_out=sum(run.id not in known for run in runs),
        diverged=sum(not np.isfinite(sample.value) for each in samples.values() for sample in each),
        budget=budget_of(list(experiments.values())),
    )


def _samples_on_curves(
    session: Session, experiment: Experiment, metric: str, axis: CurveAxis, at: float | None
) -> list[Sample]:
    """A run that has not come so far has none."""
    found: list[Sample] = []
    for curve in on_axis(replicate_curves(session, experiment, metric), axis, experiment):
        place = positions(curve, axis, experiment)
        there = curve.values[-1:] if at is None else on_grid(np.array([at]), place, curve.values)
        if np.isfinite(there[0]):
            source = ScoreSource.LAST if at is None else ScoreSource.AT
            found.append(Sample(curve.run, curve.member, float(there[0]), source))
    return found


def budget_of(experiments: list[Experiment], seconds: float | None = None) -> ArmBudget:
    """The mean over runs that have begun; zero where none has."""
    begun = [(run, experiment) for experiment in experiments for run in experiment.runs if run.step > 0]
    updates = [updates_at(experiment, run.step) for run, experiment in begun]
    known = [each for each in updates if each is not None]
    return ArmBudget(
        env_steps=_mean([run.step for run, _ in begun]),
        total_env_steps=_mean([run.step * run.population_size for run, _ in begun]),
        updates=_mean(known) if known else None,
        seconds=seconds,
    )


def _mean(values: list[int] | list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
