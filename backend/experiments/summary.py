"""Rows of the experiments table. All that a page of rows needs is read in three queries."""

from collections import defaultdict

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.experiments import repository
from phylon.backend.experiments.repository import EvaluationFrame
from phylon.backend.experiments.status import derive
from phylon.backend.metrics.frames import unpack
from phylon.backend.models import Experiment, Run
from phylon.backend.runs.status import HELD
from phylon.contract.experiments import ExperimentSummary, GroupName
from phylon.returns import RETURN, best_of

_SPARKLINE_POINTS = 40


def summarise(session: Session, experiments: list[Experiment]) -> list[ExperimentSummary]:
    run_ids = [run.id for experiment in experiments for run in experiment.runs]
    frames: dict[int, list[EvaluationFrame]] = defaultdict(list)
    for frame in repository.sampled_evaluations(session, run_ids, RETURN, _SPARKLINE_POINTS):
        frames[frame.run_id].append(frame)
    return [_summary(experiment, frames) for experiment in experiments]


def _summary(experiment: Experiment, frames: dict[int, list[EvaluationFrame]]) -> ExperimentSummary:
    runs = experiment.runs
    speeds = [run.env_steps_per_second for run in runs if run.status in HELD and run.env_steps_per_second is not None]
    return ExperimentSummary(
        id=experiment.id,
        name=experiment.name,
        status=derive(run.status for run in runs),
        created_at=experiment.created_at,
        group=group_name(experiment),
        algorithm=experiment.algorithm,
        environment=experiment.environment,
        method=experiment.method,
        population_size=experiment.population_size,
        replicates=len(runs),
        step=sum(run.step for run in runs) // len(runs),
        total_steps=runs[0].total_steps,
        best_return=_greatest([run.best_return for run in runs]),
        last_return=_greatest([run.last_return for run in runs]),
        sparkline=_sparkline([frames[run.id] for run in runs]),
        error_message=_first_error(runs),
        env_steps_per_second=sum(speeds) if speeds else None,
    )


def group_name(experiment: Experiment) -> GroupName | None:
    return GroupName(id=experiment.group.id, name=experiment.group.name) if experiment.group else None


def _sparkline(frames_by_run: list[list[EvaluationFrame]]) -> list[float]:
    """The best member of the run that has come farthest: mixing replicates would jitter where one is ahead."""
    farthest = max(frames_by_run, key=lambda frames: frames[-1].step if frames else -1)
    return [best_of(unpack(frame.data)) for frame in farthest]


def _greatest(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return best_of(np.array(present, np.float64)) if present else None


def _first_error(runs: list[Run]) -> str | None:
    messages = (run.error["message"] for run in runs if run.error)
    return next(messages, None)
