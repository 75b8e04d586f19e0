"""Takes events into the history: each exactly once, none without its predecessor, and all that follows from them.

The caller holds the lock of the run's row, so one writer at a time extends a history.
"""

import json
import math
from collections.abc import Sequence

from sqlalchemy.orm import Session

from phylon.backend.events import repository
from phylon.backend.kit import clock
from phylon.backend.lineage import repository as lineage
from phylon.backend.metrics import repository as metrics
from phylon.backend.metrics.frames import SPEED, Frame, pack, unpack
from phylon.backend.models import Attempt, Run
from phylon.backend.runs.status import HELD, RunStatus, move
from phylon.contract.events import Failed, Finished, Lineage, Metrics, RunEvent, Started, Stopped
from phylon.returns import RETURN, best_of, median_of

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
    _recompute_returns(session, run)


def _apply(session: Session, run: Run, attempt: Attempt, event: RunEvent) -> None:
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
        case Finished() | Stopped() | Failed():
            if isinstance(event, Failed):
                run.error = json.loads(event.model_dump_json(include={"message", "remedy", "member", "hyperparams"}))
            outcome = _OUTCOMES[type(event)]
            move(run, outcome, clock.now())
            attempt.end, attempt.ended_at = outcome.value, clock.now()
        case _:
            pass  # a checkpoint or a video is history only; its bytes come as an artifact


def _note_returns(run: Run, values: Frame) -> None:
    best = best_of(values)
    run.last_return = best
    run.median_return = median_of(values)
    if run.best_return is None or math.isnan(run.best_return) or best > run.best_return:
        run.best_return = best


def _recompute_returns(session: Session, run: Run) -> None:
    run.best_return = run.last_return = run.median_return = None
    for data in metrics.column(session, run.id, RETURN).data:
        _note_returns(run, unpack(data))
    speed = metrics.last(session, run.id, SPEED)
    run.env_steps_per_second = None if speed is None else float(unpack(speed)[0])
