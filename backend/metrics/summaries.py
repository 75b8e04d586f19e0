"""What each name of a run has come to, kept up to date with every tick."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import delete
from sqlalchemy.orm import Session

from phylon.backend.metrics import repository
from phylon.backend.metrics.frames import Frame, pack
from phylon.backend.metrics.repository import Tick
from phylon.backend.models import MetricSummary
from phylon.returns import best_of


class Extremes(NamedTuple):
    ticks: int
    low: float
    high: float
    last_step: int
    newest: Frame


def note(session: Session, run_id: int, fresh: Sequence[Tick]) -> None:
    known = repository.summaries(session, run_id)
    for name in dict.fromkeys(name for tick in fresh for name in tick.frames):
        having = [tick for tick in fresh if name in tick.frames]
        values = np.concatenate([tick.frames[name] for tick in having])
        low, high = float(np.fmin.reduce(values, initial=np.nan)), float(np.fmax.reduce(values, initial=np.nan))
        summary = known.get(name)
        if summary is None:
            summary = MetricSummary(run_id=run_id, name=name, first_seq=having[0].seq, ticks=0, low=low, high=high)
            session.add(summary)
        extremes = Extremes(
            summary.ticks + len(having),
            float(np.fmin(summary.low, low)),
            float(np.fmax(summary.high, high)),
            having[-1].step,
            having[-1].frames[name],
        )
        _put(summary, extremes)
    session.flush()


def cut(session: Session, run_id: int, from_seq: int, summarise: Callable[[str], Extremes]) -> None:
    """Names that came later are gone; of all others is asked what they come to now."""
    statement = delete(MetricSummary).where(MetricSummary.run_id == run_id, MetricSummary.first_seq >= from_seq)
    session.execute(statement)
    for name, summary in repository.summaries(session, run_id).items():
        _put(summary, summarise(name))
    session.flush()


def _put(summary: MetricSummary, extremes: Extremes) -> None:
    summary.ticks, summary.last_step = extremes.ticks, extremes.last_step
    summary.low, summary.high = extremes.low, extremes.high
    summary.last, summary.newest = best_of(extremes.newest), pack(extremes.newest)
