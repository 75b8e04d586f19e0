"""A run's findings as files that other programs read: metrics.csv and lineage.json."""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from phylon.events import Lineage, Metrics, RunEvent
from phylon.results import RunLineage, Series
from phylon.spec import ExperimentSpec, bounds, scale, tuned
from phylon.spec.algorithms import names_of

METRICS_FILE = "metrics.csv"
LINEAGE_FILE = "lineage.json"
WHOLE_POPULATION = ("speed/", "time/")
"""Metrics of these kinds have one value for all members; their `member` column is empty."""

Row = tuple[str, int, float, int | str, float]


def rows_of_events(events: Iterable[RunEvent]) -> Iterator[Row]:
    for event in events:
        if isinstance(event, Metrics):
            for name, values in event.frames.items():
                yield from _rows(name, event.step, event.wall, values)


def rows_of_series(series: dict[str, Series]) -> Iterator[Row]:
    for name, (steps, wall, values) in series.items():
        for step, seconds, row in zip(steps.tolist(), wall.tolist(), values.tolist(), strict=True):
            yield from _rows(name, step, seconds, row)


def _rows(name: str, step: int, wall: float, values: Sequence[float]) -> Iterator[Row]:
    if name.startswith(WHOLE_POPULATION):
        yield name, step, wall, "", values[0]
    else:
        yield from ((name, step, wall, member, value) for member, value in enumerate(values))


def write_metrics(folder: Path, rows: Iterable[Row]) -> None:
    """One value a line: the form that data frames and spreadsheets pivot as they like."""
    with (folder / METRICS_FILE).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("name", "step", "wall_seconds", "member", "value"))
        writer.writerows(rows)


def write_lineage(folder: Path, lineage: RunLineage) -> None:
    (folder / LINEAGE_FILE).write_text(json.dumps(lineage.model_dump(mode="json"), indent=1), encoding="utf-8")


def lineage_of_events(spec: ExperimentSpec, events: Sequence[RunEvent]) -> RunLineage:
    """Who descends from whom, in the form that the service answers with."""
    segments: list[dict[str, Any]] = []
    living: dict[int, dict[str, Any]] = {}
    for event in events:
        if isinstance(event, Lineage):
            for segment in event.segments:
                if segment.slot in living:
                    living[segment.slot]["end_step"] = event.step
                born = segment.model_dump() | {"start_step": event.step, "end_step": None, "start_wall": event.wall}
                living[segment.slot] = born
                segments.append(born)
    return RunLineage.model_validate(
        {
            "population_size": spec.population.size,
            "end_step": events[-1].step if events else 0,
            "tuned": [
                {
                    "name": name,
                    "scale": scale(prior),
                    "low": bounds(prior).low,
                    "high": bounds(prior).high,
                    "names": names_of(type(spec.algorithm), name),
                }
                for name, prior in tuned(spec.algorithm).items()
            ],
            "segments": segments,
        }
    )
