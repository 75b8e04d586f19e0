"""A run: one population of an experiment."""

from datetime import datetime

from phylon.contract.base import ReadModel, Real
from phylon.contract.vocabulary import ACTIVE, JobStatus


class RunError(ReadModel):
    """Why a run failed."""

    message: str
    remedy: str
    member: int | None
    hyperparams: dict[str, Real] | None


class Run(ReadModel):
    """One population: a replicate of an experiment."""

    id: int
    experiment_id: int
    replicate: int
    seed: int
    status: JobStatus
    step: int
    """Environment steps that each member has done."""
    total_steps: int
    attempt: int
    """Number of the newest attempt; 0 before the first."""
    attempts: int
    """Attempts that count: those that a worker gave back in order do not."""
    max_attempts: int
    best_return: Real | None
    """Of any member at any evaluation."""
    median_return: Real | None
    """Of the members at the last evaluation."""
    env_steps_per_second: Real | None
    eta_seconds: float | None
    strategy: str | None
    strategy_explanation: str | None
    devices: list[str]
    error: RunError | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    worker_name: str | None
    last_seq: int
    """Number of the newest event, -1 when there is none."""
    stream: str | None
    """Where the event stream goes on after what this answer contains: pass it as `after`. None before any event."""

    @property
    def ended(self) -> bool:
        return self.status not in ACTIVE
