"""Metric frames as columns that a screen can show."""

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from phylon.backend.metrics import repository
from phylon.backend.metrics.buckets import bucket
from phylon.backend.metrics.frames import unpack
from phylon.backend.metrics.repository import Column
from phylon.backend.runs import repository as runs
from phylon.contract.metrics import MetricSeries, RunMetrics


def names(session: Session, run_id: int) -> list[str]:
    runs.get(session, run_id)
    return repository.names(session, run_id)


def read(session: Session, run_id: int, *, names: list[str], points: int) -> RunMetrics:
    """One series for each name that was asked for, once; a name that the run does not have gives an empty series."""
    runs.get(session, run_id)
    unique = dict.fromkeys(names)
    return RunMetrics(series=[_series(name, repository.column(session, run_id, name), points) for name in unique])


def _series(name: str, column: Column, points: int) -> MetricSeries:
    values = _matrix(column)
    if len(column.steps) <= points:
        return MetricSeries(name=name, steps=column.steps, wall=column.wall, values=values.tolist())
    kept = bucket(values, points)
    return MetricSeries(
        name=name,
        steps=[column.steps[tick] for tick in kept.ticks],
        wall=[column.wall[tick] for tick in kept.ticks],
        values=kept.values.tolist(),
    )


def _matrix(column: Column) -> NDArray[np.float32]:
    """[ticks, members]; every tick of a name has the same number of values."""
    if not column.data:
        return np.empty((0, 0), np.float32)
    return unpack(b"".join(column.data)).reshape(len(column.data), -1)
