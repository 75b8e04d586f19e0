"""Rules about runs."""

import math
from typing import cast

from sqlalchemy.orm import Session

from phylon.backend.accounts.names import owner_name, project_name
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.events import position
from phylon.backend.imports.read_only import refuse_imported
from phylon.backend.jobs import actions, ranks
from phylon.backend.jobs import repository as jobs
from phylon.backend.jobs.actions import Action
from phylon.backend.models import Attempt, Experiment, Rank, Run
from phylon.backend.runs import extension, repository
from phylon.contract.events import EndReason, FinalReturn
from phylon.contract.runs import Attempt as AttemptRead
from phylon.contract.runs import AttemptEnd, Extension, ExtensionOutlook, Interruption, RunError
from phylon.contract.runs import Rank as RankRead
from phylon.contract.runs import Run as RunRead
from phylon.contract.vocabulary import HELD, JobStatus, RankPhase


def get(session: Session, viewer: Viewer, run_id: int) -> RunRead:
    return read(repository.get(session, viewer, run_id))


def act(session: Session, context: Context, viewer: Viewer, run_id: int, action: Action) -> RunRead:
    run = repository.lock(session, viewer, run_id)
    refuse_imported(session.get_one(Experiment, run.experiment_id))
    actions.act(session, context, viewer, action, [run.job], "run", run_id)
    return read(run)


def extend(session: Session, context: Context, viewer: Viewer, run_id: int, body: Extension) -> RunRead:
    run = repository.lock(session, viewer, run_id)
    experiment = session.get_one(Experiment, run.experiment_id)
    refuse_imported(experiment)
    extension.extend(session, context, viewer, experiment, [run], body)
    return read(run)


def look_at_extension(session: Session, viewer: Viewer, run_id: int) -> ExtensionOutlook:
    run = repository.get(session, viewer, run_id)
    return extension.look(run, session.get_one(Experiment, run.experiment_id))


def list_attempts(session: Session, viewer: Viewer, run_id: int) -> list[AttemptRead]:
    job_id = repository.get(session, viewer, run_id).job_id
    gangs = ranks.by_attempt(session, job_id)
    rows = jobs.attempts(session, job_id)
    return [_read_attempt(attempt, worker_name, gangs.get(attempt.number, [])) for attempt, worker_name in rows]


def read(run: Run) -> RunRead:
    job = run.job
    return RunRead(
        id=run.id,
        experiment_id=run.experiment_id,
        owner=owner_name(job),
        project=project_name(job),
        replicate=run.replicate,
        seed=run.seed,
        status=JobStatus(job.status),
        is_pausing=job.yield_to == JobStatus.PAUSED,
        step=run.step,
        total_steps=run.total_steps,
        extended_budget=run.extended_budget,
        attempt=job.attempt,
        attempts=job.attempts_used,
        max_attempts=job.max_attempts,
        final=FinalReturn.model_validate(run.final) if run.final else None,
        best_return=run.best_return,
        last_return=run.last_return,
        median_return=run.median_return,
        env_steps_per_second=run.env_steps_per_second,
        eta_seconds=_eta_seconds(run),
        strategy=run.strategy,
        strategy_explanation=run.strategy_explanation,
        devices=run.devices,
        interruptions=[Interruption.model_validate(each) for each in run.interruptions],
        diverged_members=run.diverged_members,
        error=RunError.model_validate({"member": None, "hyperparams": None} | job.error) if job.error else None,
        end_reason=cast(EndReason | None, run.end_reason),
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        worker_name=job.worker_name,
        last_seq=job.last_seq,
        stream=position.newest(job),
    )


def _read_attempt(attempt: Attempt, worker_name: str, gang: list[tuple[Rank, str]]) -> AttemptRead:
    outcome = attempt.outcome or {}
    final = outcome.get("final")
    return AttemptRead(
        number=attempt.number,
        worker_name=worker_name,
        ranks=[_read_rank(rank, name) for rank, name in gang],
        began_at=attempt.claimed_at,
        ended_at=attempt.ended_at,
        end=cast(AttemptEnd | None, attempt.end),
        detail=attempt.detail or outcome.get("message"),
        checkpoint=attempt.checkpoint,
        from_step=attempt.from_step,
        to_step=attempt.to_step,
        end_reason=outcome.get("reason"),
        final=FinalReturn.model_validate(final) if final else None,
    )


def _read_rank(rank: Rank, worker_name: str) -> RankRead:
    return RankRead(
        rank=rank.rank,
        worker_name=worker_name,
        host=rank.host,
        slots=rank.slots,
        phase=RankPhase(rank.phase),
        address=rank.address and rank.address.rpartition(" ")[2],
        heard_at=rank.heard_at,
        seconds_per_segment=rank.seconds_per_segment,
    )


def _eta_seconds(run: Run) -> float | None:
    """The speed counts the steps of all members, the budget those of each."""
    speed = run.env_steps_per_second
    if run.job.status not in HELD or speed is None or not math.isfinite(speed) or speed <= 0:
        return None
    return (run.total_steps - run.step) * run.population_size / speed
