"""Takes events into the history: each exactly once, none without its predecessor, and all that follows from them.

The caller holds the lock of the run's row, so one writer at a time extends a history.
"""

import json
import math
from collections.abc import Sequence

from sqlalchemy.orm import Session

from backend.events import repository
from backend.kit import clock
from backend.lineage import repository as lineage
from backend.metrics import repository as metrics
from backend.metrics.frames import SPEED, Frame, pack, unpack
from backend.models import Attempt, Run
from backend.runs.status import HELD, RunStatus, move
from phylon.events import Failed, Finished, Lineage, Metrics, RunEvent, Started, Stopped
from phylon.fitness import FITNESS, best_of, median_of

_OUTCOMES = {Finished: RunStatus.FINISHED, Stopped: RunStatus.STOPPED, Failed: RunStatus.FAILED}


def ingest(session: Session, run: Run, attempt: Attempt, events: Sequence[RunEvent]) -> None:
    """Stores what continues the history. What is there already is skipped, and nothing follows an outcome.

    What comes after a gap is left out too: the answer names the event that is waited for, and the worker goes on there.
    """
    fresh: list[RunEvent] = []
    for event in sorted(events, key=lambda event: event.seq):
        if event.seq == run.last_seq + 1 and run.status in HELD:
            fresh.append(event)
            run.last_seq = event.seq
            run.step = max(run.step, event.step)
            _apply(session, run, attempt, event)
    repository.add(session, run.id, attempt.number, fresh)
    metrics.add(session, run.id, [event for event in fresh if isinstance(event, Metrics)])


def cut_back(session: Session, run: Run, from_seq: int) -> None:
    """Forget what happened from `from_seq` on, as if it had never been told."""
    for history in (repository, metrics, lineage):
        history.cut(session, run.id, from_seq)
    run.last_seq = min(run.last_seq, from_seq - 1)
    run.step = repository.last_step(session, run.id)
    _recompute_fitness(session, run)


def _apply(session: Session, run: Run, attempt: Attempt, event: RunEvent) -> None:
    match event:
        case Started():
            run.strategy = event.strategy
            run.strategy_explanation = event.explanation
            run.devices = event.devices
        case Metrics():
            if fitness := event.frames.get(FITNESS):
                _note_fitness(run, unpack(pack(fitness)))
            if speed := event.frames.get(SPEED):
                run.env_steps_per_second = speed[0]
        case Lineage():
            lineage.add(session, run.id, event)
        case Finished() | Stopped() | Failed():
            if isinstance(event, Failed):
                run.error = json.loads(event.model_dump_json(include={"message", "remedy", "member", "hyperparams"}))
            outcome = _OUTCOMES[type(event)]
            move(run, outcome, clock.now())
            attempt.end, attempt.ended_at = outcome.value, clock.now()
        case _:
            pass  # a checkpoint or a video is history only; its bytes come as an artifact


def _note_fitness(run: Run, values: Frame) -> None:
    best = best_of(values)
    run.last_fitness = best
    run.median_fitness = median_of(values)
    if run.best_fitness is None or math.isnan(run.best_fitness) or best > run.best_fitness:
        run.best_fitness = best


def _recompute_fitness(session: Session, run: Run) -> None:
    run.best_fitness = run.last_fitness = run.median_fitness = None
    for data in metrics.column(session, run.id, FITNESS).data:
        _note_fitness(run, unpack(data))
    speed = metrics.last(session, run.id, SPEED)
    run.env_steps_per_second = None if speed is None else float(unpack(speed)[0])
