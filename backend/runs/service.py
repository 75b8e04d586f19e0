"""Rules about runs."""

import math

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.events import position
from phylon.backend.jobs.changes import request_stop
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Run
from phylon.backend.runs import repository
from phylon.contract.runs import Run as RunRead
from phylon.contract.runs import RunError
from phylon.contract.vocabulary import ACTIVE, HELD, JobStatus


class RunNotActive(Conflict):
    """Only a run that has not ended can be stopped."""

    def __init__(self, run: Run) -> None:
        super().__init__(
            f"Run {run.id} is {run.job.status}; only a run that has not ended can be stopped.",
            "Nothing needs to be done: the run is over.",
        )


def get(session: Session, run_id: int) -> RunRead:
    return read(repository.get(session, run_id))


def stop(session: Session, context: Context, run_id: int) -> RunRead:
    run = repository.lock(session, run_id)
    if run.job.status not in ACTIVE:
        raise RunNotActive(run)
    request_stop(session, context, run.job)
    return read(run)


def read(run: Run) -> RunRead:
    job = run.job
    return RunRead(
        id=run.id,
        experiment_id=run.experiment_id,
        replicate=run.replicate,
        seed=run.seed,
        status=JobStatus(job.status),
        step=run.step,
        total_steps=run.total_steps,
        attempt=job.attempt,
        attempts=job.counted_attempts,
        max_attempts=job.max_attempts,
        best_return=run.best_return,
        median_return=run.median_return,
        env_steps_per_second=run.env_steps_per_second,
        eta_seconds=_eta_seconds(run),
        strategy=run.strategy,
        strategy_explanation=run.strategy_explanation,
        devices=run.devices,
        error=RunError.model_validate({"member": None, "hyperparams": None} | job.error) if job.error else None,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        worker_name=job.worker_name,
        last_seq=job.last_seq,
        stream=position.newest(job),
    )


def _eta_seconds(run: Run) -> float | None:
    """The speed counts the steps of all members, the budget those of each."""
    speed = run.env_steps_per_second
    if run.job.status not in HELD or speed is None or not math.isfinite(speed) or speed <= 0:
        return None
    return (run.total_steps - run.step) * run.population_size / speed
