"""A run as a kind of job: what a trainer needs, and how its events become metrics, lineage and progress."""

import math
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from phylon.backend.artifacts import service as artifacts
from phylon.backend.context import Context
from phylon.backend.events import repository as events
from phylon.backend.jobs.kind import JobKind, JobNeeds
from phylon.backend.lineage import repository as lineage
from phylon.backend.metrics import repository as metrics
from phylon.backend.metrics.frames import SPEED, Frame, pack, unpack
from phylon.backend.models import Event, Experiment, Job, Run
from phylon.backend.runs import repository, service
from phylon.contract.base import ReadModel
from phylon.contract.events import RUN_EVENTS, Lineage, Metrics, Started
from phylon.contract.protocol import JobEvent, RunPayload
from phylon.returns import RETURN, best_of, median_of


def make_payload(session: Session, job: Job) -> RunPayload:
    run = repository.of_job(session, job.id)
    experiment = session.get_one(Experiment, run.experiment_id)
    return RunPayload(
        run_id=run.id,
        spec=experiment.spec,
        seed=run.seed,
        checkpoint=artifacts.newest_checkpoint(session, job.id),
    )


def find_needs(session: Session, job_ids: Sequence[int]) -> dict[int, JobNeeds]:
    parts = (Experiment.suite, Experiment.algorithm, Experiment.method)
    statement = select(Run.job_id, *parts).join(Run.experiment).where(Run.job_id.in_(job_ids))
    return {job_id: JobNeeds(*needed) for job_id, *needed in session.execute(statement)}


def apply(session: Session, job: Job, fresh: Sequence[JobEvent]) -> None:
    run = repository.of_job(session, job.id)
    run.step = max(run.step, *(event.step for event in fresh))
    for event in fresh:
        match event:
            case Started():
                run.strategy = event.strategy
                run.strategy_explanation = event.explanation
                run.devices = event.devices
            case Metrics():
                if returns := event.frames.get(RETURN):
                    _note_returns(run, unpack(pack(returns)))
                if speed := event.frames.get(SPEED):
                    run.env_steps_per_second = speed[0]
            case Lineage():
                lineage.add(session, run.id, event)
            case _:
                pass  # a checkpoint or a video is history only; its bytes come as an artifact
    metrics.add(session, run.id, [event for event in fresh if isinstance(event, Metrics)])


def rewind(session: Session, context: Context, job: Job, from_seq: int) -> None:
    run = repository.of_job(session, job.id)
    for history in (metrics, lineage):
        history.cut(session, run.id, from_seq)
    run.step = events.last_step(session, job.id)
    run.best_return = run.last_return = run.median_return = None
    for data in metrics.column(session, run.id, RETURN).data:
        _note_returns(run, unpack(data))
    speed = metrics.last(session, run.id, SPEED)
    run.env_steps_per_second = None if speed is None else float(unpack(speed)[0])
    artifacts.forget_videos(session, context, job.id)


def restore(session: Session, job: Job, stored: Sequence[Event]) -> dict[int, str]:
    """Metrics are put together from their frames."""
    if not stored:
        return {}
    frames: dict[int, dict[str, list[float]]] = {event.seq: {} for event in stored}
    for frame in metrics.of_events(session, repository.of_job(session, job.id).id, list(frames)):
        frames[frame.seq][frame.name] = unpack(frame.data).tolist()
    return {
        event.seq: Metrics(
            seq=event.seq, step=event.step, wall=event.wall, kind="metrics", frames=frames[event.seq]
        ).model_dump_json()
        for event in stored
    }


def read(session: Session, job: Job) -> ReadModel:
    return service.read(repository.of_job(session, job.id))


def _note_returns(run: Run, values: Frame) -> None:
    best = best_of(values)
    run.last_return = best
    run.median_return = median_of(values)
    if run.best_return is None or math.isnan(run.best_return) or best > run.best_return:
        run.best_return = best


RUN = JobKind(RUN_EVENTS, make_payload, find_needs, apply, rewind, restore, read)
