"""The curves of a run from elsewhere as ticks, in the form in which the history of every run is kept."""

from collections.abc import Mapping

import numpy as np

from phylon.backend.metrics.frames import Frame
from phylon.backend.metrics.repository import Tick
from phylon.export.metrics import as_single
from phylon.series import Series


def ticks_of(series: Mapping[str, Series]) -> list[Tick]:
    """One per step at which anything was measured, in order."""
    steps = np.unique(np.concatenate([each.steps for each in series.values()]))
    walls = np.zeros(len(steps))
    frames: list[dict[str, Frame]] = [{} for _ in steps]
    for name, (at, wall, values) in series.items():
        places = np.searchsorted(steps, at)
        walls[places] = np.maximum(walls[places], wall)
        for place, frame in zip(places.tolist(), as_single(values), strict=True):
            frames[place][name] = frame
    clock = np.maximum.accumulate(walls)
    return [Tick(*each) for each in zip(range(len(steps)), steps.tolist(), clock.tolist(), frames, strict=True)]
