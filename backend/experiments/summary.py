"""Rows of the experiments table. All that they show is kept with experiments and runs: no history is read."""

from datetime import datetime

import numpy as np

from phylon.backend.accounts.names import owner_name, project_name
from phylon.backend.experiments.status import derive
from phylon.backend.jobs.status import HELD
from phylon.backend.metrics.frames import unpack
from phylon.backend.models import Experiment, Run
from phylon.contract.experiments import ExperimentSummary, GroupName
from phylon.contract.imports import ImportFormat
from phylon.returns import best_of


def summarise(experiments: list[Experiment]) -> list[ExperimentSummary]:
    return [_summary(experiment) for experiment in experiments]


def _summary(experiment: Experiment) -> ExperimentSummary:
    runs = experiment.runs
    speeds = [
        run.env_steps_per_second for run in runs if run.job.status in HELD and run.env_steps_per_second is not None
    ]
    return ExperimentSummary(
        id=experiment.id,
        name=experiment.name,
        status=derive(run.job.status for run in runs),
        owner=owner_name(experiment),
        project=project_name(experiment),
        created_at=experiment.created_at,
        group=group_name(experiment),
        algorithm=experiment.algorithm,
        environment=experiment.environment,
        method=experiment.method,
        population_size=experiment.population_size,
        replicates=len(runs),
        step=sum(run.step for run in runs) // len(runs),
        total_steps=sum(run.total_steps for run in runs) // len(runs),
        final_return=_mean_final(runs),
        best_return=_greatest([run.best_return for run in runs]),
        last_return=_greatest([run.last_return for run in runs]),
        sparkline=_sparkline(runs),
        error_message=_first_error(runs),
        env_steps_per_second=sum(speeds) if speeds else None,
        imported=ImportFormat(experiment.import_format) if experiment.import_format else None,
    )


def ended_at(experiment: Experiment) -> datetime | None:
    """None while one of its runs has not ended."""
    ends = [run.job.finished_at for run in experiment.runs]
    return None if None in ends else max(end for end in ends if end is not None)


def group_name(experiment: Experiment) -> GroupName | None:
    return GroupName(id=experiment.group.id, name=experiment.group.name) if experiment.group else None


def _sparkline(runs: list[Run]) -> list[float]:
    """The best member of the run that has come farthest: mixing replicates would jitter where one is ahead."""
    return unpack(max(runs, key=lambda run: (run.evaluations > 0, run.step)).sparkline).tolist()


def _greatest(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return best_of(np.array(present, np.float64)) if present else None


def _mean_final(runs: list[Run]) -> float | None:
    finals = [float(run.final["mean"]) for run in runs if run.final is not None]  # NaN is stored as text
    return float(np.mean(finals)) if finals else None


def _first_error(runs: list[Run]) -> str | None:
    messages = (run.job.error["message"] for run in runs if run.job.error)
    return next(messages, None)
