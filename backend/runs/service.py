"""Rules about runs."""

import math

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.kit.database import after_commit
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Run
from phylon.backend.runs import repository
from phylon.backend.runs.status import ACTIVE, HELD, RunStatus, move
from phylon.contract.runs import Run as RunRead
from phylon.contract.runs import RunError


class RunNotActive(Conflict):
    """Only a run that has not ended can be stopped."""

    def __init__(self, run: Run) -> None:
        super().__init__(
            f"Run {run.id} is {run.status}; only a run that has not ended can be stopped.",
            "Nothing needs to be done: the run is over.",
        )


def get(session: Session, run_id: int) -> RunRead:
    return read(repository.get(session, run_id))


def stop(session: Session, context: Context, run_id: int) -> RunRead:
    run = repository.lock(session, run_id)
    if run.status not in ACTIVE:
        raise RunNotActive(run)
    request_stop(session, context, run)
    return read(run)


def request_stop(session: Session, context: Context, run: Run) -> None:
    """A run that no worker holds stops at once; else its worker hears of it in the answer to its next heartbeat."""
    if run.status == RunStatus.RUNNING:
        move(run, RunStatus.STOPPING, clock.now())
    elif run.status != RunStatus.STOPPING:
        move(run, RunStatus.STOPPED, clock.now())
    ring(session, context, run.id)


def ring(session: Session, context: Context, run_id: int) -> None:
    """Tell those who watch this run that there is something new to read, once it can be read."""
    after_commit(session, lambda: context.doorbell.ring(f"run {run_id}"))


def read(run: Run) -> RunRead:
    return RunRead(
        id=run.id,
        experiment_id=run.experiment_id,
        replicate=run.replicate,
        seed=run.seed,
        status=RunStatus(run.status),
        step=run.step,
        total_steps=run.total_steps,
        attempt=run.attempt,
        attempts=run.counted_attempts,
        max_attempts=run.max_attempts,
        best_return=run.best_return,
        median_return=run.median_return,
        env_steps_per_second=run.env_steps_per_second,
        eta_seconds=_eta_seconds(run),
        strategy=run.strategy,
        strategy_explanation=run.strategy_explanation,
        devices=run.devices,
        error=RunError.model_validate(run.error) if run.error else None,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        worker_name=run.worker_name,
        last_seq=run.last_seq,
        stream=f"{run.attempt}-{run.last_seq}" if run.last_seq >= 0 else None,
    )


def _eta_seconds(run: Run) -> float | None:
    """The speed counts the steps of all members, the budget those of each."""
    speed = run.env_steps_per_second
    if run.status not in HELD or speed is None or not math.isfinite(speed) or speed <= 0:
        return None
    return (run.total_steps - run.step) * run.population_size / speed
