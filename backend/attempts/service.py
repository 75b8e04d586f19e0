"""Claim, resume, heartbeat and release: the life of an attempt, told by its worker."""

from datetime import timedelta

from sqlalchemy.orm import Session

from phylon.backend.artifacts import service as artifacts
from phylon.backend.attempts import fence, repository
from phylon.backend.attempts.ending import give_up
from phylon.backend.context import Context
from phylon.backend.events import ingestion
from phylon.backend.events import repository as events
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict
from phylon.backend.logs import service as logs
from phylon.backend.models import Attempt, Run, Worker
from phylon.backend.runs import repository as runs_repository
from phylon.backend.runs import service as runs
from phylon.backend.runs.status import HELD, RunStatus, move_if_waiting
from phylon.backend.workers import repository as workers
from phylon.backend.workers.parts import find_lacking
from phylon.contract.protocol import Claim, ClaimRequest, Heartbeat, HeartbeatAnswer, Release, ResumeRequest


class RunNotClaimable(Conflict):
    """The run is not waiting for a worker, or this worker cannot take it."""


class ResumeTooLate(Conflict):
    """An attempt resumes once, before it tells anything."""

    def __init__(self, run_id: int, attempt: int) -> None:
        super().__init__(
            f"Attempt {attempt} of run {run_id} has already told events and cannot cut history back any more.",
            "Release the run and claim it again.",
        )


class ResumeMissing(Conflict):
    """An attempt must say where it takes up a history before it continues it."""

    def __init__(self, run_id: int, attempt: int) -> None:
        super().__init__(
            f"Run {run_id} has a history, and attempt {attempt} did not say where it takes it up.",
            "Call resume with the event number of the checkpoint, or with 0 to begin afresh.",
        )


def claim(session: Session, context: Context, run_id: int, body: ClaimRequest) -> Claim:
    worker = workers.get(session, body.worker_id)
    run = runs_repository.get_with_experiment(session, run_id)
    experiment = run.experiment
    _check_worker(session, run, worker)
    won = move_if_waiting(
        session,
        run_id,
        RunStatus.RUNNING,
        clock.now(),
        attempt=Run.attempt + 1,
        worker_id=worker.id,
        worker_name=worker.name,
        started_at=run.started_at or clock.now(),
        lease_expires_at=clock.now() + timedelta(seconds=context.settings.lease_seconds),
    )
    session.refresh(run)
    if not won:
        raise RunNotClaimable(f"Run {run_id} is {run.status}, so it cannot be claimed.", "Drop the message.")
    repository.start(session, run, worker)
    worker.last_seen_at = clock.now()
    runs.ring(session, context, run_id)
    return Claim(
        run_id=run_id,
        attempt=run.attempt,
        lease_seconds=context.settings.lease_seconds,
        spec=experiment.spec,
        seed=run.seed,
        checkpoint=artifacts.newest_checkpoint(session, run_id),
    )


def _check_worker(session: Session, run: Run, worker: Worker) -> None:
    lacking = find_lacking(worker, run.experiment)
    if lacking is not None:
        raise RunNotClaimable(
            f"Run {run.id} needs {lacking}, which worker {worker.name} does not have.",
            "Install the package that has it on this worker and restart the worker, or let another one take the run.",
        )
    held = workers.held_job(session, worker.id)
    if held is not None:
        raise RunNotClaimable(
            f"Worker {worker.name} still holds {held}; a worker has one slot.",
            "Release it first, or wait until its lease has run out.",
        )


def resume(session: Session, context: Context, run_id: int, body: ResumeRequest) -> HeartbeatAnswer:
    run, attempt = fence.enter(session, run_id, body.attempt)
    if events.attempt_has_told(session, run_id, attempt.number) or run.status not in HELD:
        raise ResumeTooLate(run_id, attempt.number)
    ingestion.cut_back(session, run, body.from_seq)
    artifacts.forget_videos(session, context, run_id)
    attempt.rewound_to = body.from_seq
    fence.renew(run, context.settings.lease_seconds)
    runs.ring(session, context, run_id)
    return _answer(run, attempt)


def heartbeat(session: Session, context: Context, run_id: int, body: Heartbeat) -> HeartbeatAnswer:
    run, attempt = fence.enter(session, run_id, body.attempt)
    if body.events and _must_resume_first(session, run, attempt):
        raise ResumeMissing(run_id, attempt.number)
    ingestion.ingest(session, run, attempt, body.events)
    logs.ingest(session, attempt, body.logs)
    fence.renew(run, context.settings.lease_seconds)
    workers.get(session, attempt.worker_id).last_seen_at = clock.now()
    if body.events or body.logs:
        runs.ring(session, context, run_id)
    return _answer(run, attempt)


def _must_resume_first(session: Session, run: Run, attempt: Attempt) -> bool:
    """Else its first events would be taken for repetitions of those that an older attempt told."""
    if attempt.rewound_to is not None or run.last_seq < 0:
        return False
    return not events.attempt_has_told(session, run.id, attempt.number)


def release(session: Session, context: Context, run_id: int, body: Release) -> None:
    """After an outcome there is nothing to give back, so releasing then is harmless."""
    run, attempt = fence.enter(session, run_id, body.attempt)
    if attempt.end is None:
        give_up(run, attempt, body.reason, body.detail)
        runs.ring(session, context, run_id)


def _answer(run: Run, attempt: Attempt) -> HeartbeatAnswer:
    return HeartbeatAnswer(
        next_seq=run.last_seq + 1,
        next_log_line=attempt.next_log_line,
        command="stop" if run.status == RunStatus.STOPPING else "continue",
    )
