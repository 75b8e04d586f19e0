"""A run as a kind of job: what a trainer needs, and how its events become metrics, lineage and progress."""

import json
import math
from collections.abc import Sequence
from itertools import chain

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.artifacts import retention
from phylon.backend.artifacts import service as artifacts
from phylon.backend.context import Context
from phylon.backend.events import repository as events
from phylon.backend.experiments import standing, values
from phylon.backend.jobs.kind import JobKind
from phylon.backend.jobs.status import HELD
from phylon.backend.lineage import repository as lineage
from phylon.backend.metrics import history as metrics
from phylon.backend.metrics import sparkline
from phylon.backend.metrics.frames import SPEED, Frame, pack, to_frame, unpack
from phylon.backend.metrics.repository import Tick
from phylon.backend.metrics.sparkline import Sparkline
from phylon.backend.models import Event, Experiment, Job, Run
from phylon.backend.runs import extension, repository, service
from phylon.contract.base import ReadModel
from phylon.contract.events import RUN_EVENTS, Checkpoint, Diverged, Finished, Interrupted, Lineage, Metrics, Started
from phylon.contract.protocol import JobEvent, RunPayload
from phylon.returns import RETURN, best_of, median_of


def make_payload(session: Session, job: Job) -> RunPayload:
    run = repository.of_job(session, job.id)
    experiment = session.get_one(Experiment, run.experiment_id)
    return RunPayload(
        run_id=run.id,
        spec=extension.spec_of(run, experiment),
        seed=run.seed,
        checkpoints=artifacts.list_checkpoints(session, job.id),
        start=artifacts.find_start(session, experiment.id),
    )


def apply(session: Session, context: Context, job: Job, fresh: Sequence[JobEvent]) -> None:
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
                    _note_returns(run, to_frame(returns))
                if speed := event.frames.get(SPEED):
                    run.env_steps_per_second = speed[0]
            case Lineage():
                lineage.add(session, run.id, event)
                if run.diverged_members:  # some may have been replaced
                    run.diverged_members = lineage.diverged_members(session, run.id)
            case Diverged():
                lineage.mark_diverged(session, run.id, event)
                run.diverged_members = lineage.diverged_members(session, run.id)
            case Interrupted():
                run.interruptions = [*run.interruptions, {"step": event.step, "reason": event.reason}]
            case Finished():
                run.end_reason = event.reason
                # With NaN as text, which JSON lacks.
                run.final = json.loads(event.final.model_dump_json()) if event.final else None
            case _:
                pass  # a checkpoint, a video or a policy is history only; its bytes come as an artifact
    ticks = [event for event in fresh if isinstance(event, Metrics)]
    metrics.add(session, run.id, [_tick(event) for event in ticks])
    if job.status not in HELD:
        metrics.close(session, run.id)
    values.note_metrics(session, run, ticks)
    if any(isinstance(event, Finished) or (isinstance(event, Metrics) and RETURN in event.frames) for event in fresh):
        standing.keep_returns(session, run.experiment_id)
    if any(isinstance(event, Checkpoint | Finished) for event in fresh):
        winner = next((event.best_member for event in fresh if isinstance(event, Finished)), None)
        retention.apply(session, context, run, winner)


def rewind(session: Session, context: Context, job: Job, from_seq: int) -> None:
    run = repository.of_job(session, job.id)
    for history in (metrics, lineage):
        history.cut(session, run.id, from_seq)
    run.step = events.last_step(session, job.id)
    run.final = run.end_reason = None
    note_all_returns(run, metrics.whole(session, run.id, RETURN).values)
    speed = metrics.frame_before(session, run.id, SPEED, from_seq)
    run.env_steps_per_second = None if speed is None else float(speed[0])
    kept = len(events.of_kinds(session, job.id, "interrupted"))
    run.interruptions = run.interruptions[:kept]
    run.diverged_members = lineage.diverged_members(session, run.id)
    artifacts.forget_unreported(session, context, job.id)
    values.forget_metrics(session, run)
    standing.keep_returns(session, run.experiment_id)


def restore(session: Session, job: Job, stored: Sequence[Event]) -> dict[int, str]:
    """Metrics are put together from their frames."""
    if not stored:
        return {}
    frames = metrics.frames_of(session, repository.of_job(session, job.id).id, [event.seq for event in stored])
    return {
        event.seq: Metrics(
            seq=event.seq,
            step=event.step,
            wall=event.wall,
            kind="metrics",
            frames={name: frame.tolist() for name, frame in sorted(frames[event.seq].items())},
        ).model_dump_json()
        for event in stored
    }


def read(session: Session, job: Job) -> ReadModel:
    return service.read(repository.of_job(session, job.id))


def _tick(event: Metrics) -> Tick:
    flat = to_frame(list(chain.from_iterable(event.frames.values())))  # one array per tick: a burst has many names
    frames: dict[str, Frame] = {}
    start = 0
    for name, numbers in event.frames.items():
        frames[name] = flat[start : start + len(numbers)]
        start += len(numbers)
    return Tick(event.seq, event.step, event.wall, frames)


def _note_returns(run: Run, values: Frame) -> None:
    best = best_of(values)
    run.last_return = best
    curve = sparkline.grow(Sparkline(unpack(run.sparkline), run.evaluations), best)
    run.sparkline, run.evaluations = pack(curve.values), curve.evaluations
    run.median_return = median_of(values)
    if run.best_return is None or math.isnan(run.best_return) or best > run.best_return:
        run.best_return = best


def note_all_returns(run: Run, evaluations: Frame) -> None:
    """As if they had come one by one. `evaluations` [ticks, members]"""
    best = np.fmax.reduce(evaluations, axis=1, initial=np.nan)
    run.sparkline, run.evaluations = pack(sparkline.draw(best).values), len(best)
    run.best_return = best_of(best) if len(best) else None
    run.last_return = float(best[-1]) if len(best) else None
    run.median_return = median_of(evaluations[-1]) if len(best) else None


RUN = JobKind(RUN_EVENTS, frozenset({"checkpoint"}), make_payload, apply, rewind, restore, read)
