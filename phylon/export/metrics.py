"""Metrics in long form: one value a row, which data frames and spreadsheets pivot as they like."""

import csv
from array import array
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import Metrics, RunEvent
from phylon.export.tables import Column, Table, Values
from phylon.series import Series

NamedSeries = tuple[str, Series]
"""Several of the same name follow each other in time."""

COLUMNS = [
    Column("name", "text"),
    Column("step", "integer"),
    Column("wall_seconds", "double"),
    Column("member", "integer"),
    Column("value", "single"),
]
ROWS = 50_000
"""In a batch, about."""
_SINGLE_VALUED = ("speed/", "time/", "population/")


def is_of_whole_population(name: str, series: Series, population_size: int) -> bool:
    """Whether its values belong to no member. In a population of one, only the kind of a metric decides."""
    return series.values.shape[1] == 1 and (population_size > 1 or name.startswith(_SINGLE_VALUED))


def series_of_events(events: Iterable[RunEvent]) -> Iterator[NamedSeries]:
    """By name, in alphabetical order."""
    ticks: dict[str, list[tuple[int, float, list[float]]]] = {}
    for event in events:
        if isinstance(event, Metrics):
            for name, values in event.frames.items():
                ticks.setdefault(name, []).append((event.step, event.wall, values))
    for name in sorted(ticks):
        steps, wall, values = zip(*ticks[name], strict=True)
        yield name, Series(np.array(steps, np.int64), np.array(wall, np.float64), np.array(values, np.float64))


def series_of_csv(lines: Iterable[str]) -> Iterator[NamedSeries]:
    """What `metrics_table` was made of, from the lines of its CSV file."""
    rows = csv.reader(lines)
    next(rows, None)
    for name, group in groupby(rows, key=itemgetter(0)):
        steps, wall, values, member = array("q"), array("d"), array("d"), ""
        for row in group:
            steps.append(int(row[1]))
            wall.append(float(row[2]))
            member = row[3]
            values.append(float(row[4]))
        members = int(member or 0) + 1  # the last row is the last member's
        yield name, Series(np.array(steps)[::members], np.array(wall)[::members], np.array(values).reshape(-1, members))


def metrics_table(series: Iterable[NamedSeries], population_size: int) -> Table:
    """The `member` of a metric of the whole population is empty."""
    return Table(COLUMNS, _batches(series, population_size))


def _batches(series: Iterable[NamedSeries], population_size: int) -> Iterator[list[Values]]:
    for name, (steps, wall, values) in series:
        width = values.shape[1]
        of_all = is_of_whole_population(name, Series(steps, wall, values), population_size)
        ticks = max(1, ROWS // width)
        for start in range(0, len(steps), ticks):
            part = slice(start, start + ticks)
            count = values[part].size
            yield [
                [name] * count,
                np.repeat(steps[part], width),
                np.repeat(wall[part], width),
                [None] * count if of_all else np.tile(np.arange(width, dtype=np.int64), count // width),
                as_single(values[part]).reshape(-1),
            ]


def as_single(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """As the service keeps metrics, so that a run gives the same numbers wherever it lies."""
    with np.errstate(over="ignore"):  # what is too large becomes infinity, which is what it is to a trainer
        return values.astype(np.float32)
