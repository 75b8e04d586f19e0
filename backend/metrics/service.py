"""Metrics as a chart needs them: as many points as it has pixels, whatever the length of the run."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.metrics import history, repository
from phylon.backend.metrics.grid import group_size
from phylon.backend.runs import repository as runs
from phylon.contract.metrics import MetricSeries, RunMetrics


class Window(NamedTuple):
    """Which part of a run is asked for; both ends are part of it."""

    from_step: int | None = None
    to_step: int | None = None
    from_wall: float | None = None
    to_wall: float | None = None
    members: tuple[int, ...] = ()
    """All where none is named."""


def names(session: Session, viewer: Viewer, run_id: int) -> list[str]:
    runs.get(session, viewer, run_id)
    return repository.names(session, run_id)


def read(session: Session, viewer: Viewer, run_id: int, *, names: list[str], points: int, window: Window) -> RunMetrics:
    """One series for each name that was asked for, once; a name that the run does not have gives an empty series."""
    runs.get(session, viewer, run_id)
    start, stop = _ticks(session, run_id, window)
    unique = dict.fromkeys(names)
    return RunMetrics(series=[_series(session, run_id, name, start, stop, points, window.members) for name in unique])


def _ticks(session: Session, run_id: int, window: Window) -> tuple[int, int]:
    """Numbers of the first tick in the window and of the first behind it."""
    start, stop = 0, history.count(session, run_id)
    ends: tuple[tuple[Literal["step", "wall"], float | None, float | None], ...] = (
        ("step", window.from_step, window.to_step),
        ("wall", window.from_wall, window.to_wall),
    )
    for by, low, high in ends:
        if low is not None:
            start = max(start, history.find_tick(session, run_id, by, low, after=False))
        if high is not None:
            stop = min(stop, history.find_tick(session, run_id, by, high, after=True))
    return start, stop


def _series(
    session: Session, run_id: int, name: str, start: int, stop: int, points: int, members: tuple[int, ...]
) -> MetricSeries:
    if stop - start > points:
        group = group_size(stop - start, points)
        buckets = history.read_buckets(session, run_id, name, start, stop, group)
        if int(buckets.ticks.sum()) > points:
            axis = history.read_axis(session, run_id, start, stop, group)
            places = [axis[number] for number in (buckets.start // group).tolist()]
            # A quarter of a million numbers that NumPy made need no validation.
            return MetricSeries.model_construct(
                name=name,
                steps=[step for step, _ in places],
                wall=[wall for _, wall in places],
                values=_choose(buckets.mean, members),
                low=_choose(buckets.low, members),
                high=_choose(buckets.high, members),
                ticks=buckets.ticks.tolist(),
                is_exact=False,
            )
    page = history.read_ticks(session, run_id, name, start, stop)
    return MetricSeries(
        name=name,
        steps=page.steps.tolist(),
        wall=page.walls.tolist(),
        values=_choose(page.values, members),
        low=[],
        high=[],
        ticks=[],
        is_exact=True,
    )


def _choose(values: NDArray[np.float32], members: tuple[int, ...]) -> list[list[float]]:
    """A metric of the whole population has one value, whichever members are asked for."""
    if not members or values.shape[1] <= 1:
        return values.tolist()
    return values[:, [member for member in members if member < values.shape[1]]].tolist()
