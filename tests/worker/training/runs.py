"""Looking at runs: their events, and what of them must be the same whenever the run is done again."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from phylon.contract.events import RunEvent
from phylon.run_directory import checkpoints_dir, latest_checkpoint, spool_path
from phylon.spool import SpoolReader
from phylon.worker.core.commands import Commands


class Killed(Exception):
    pass


class KilledAfter(Commands):
    """A launcher whose trainer dies after so many segments; it is asked once after each."""

    def __init__(self, segments: int) -> None:
        self._left = segments

    @property
    def wanted(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Killed


def events_of(run_dir: Path) -> list[RunEvent]:
    """Every event; the reader checks that they are numbered without gaps."""
    return SpoolReader(spool_path(run_dir)).read()


def kinds(events: list[RunEvent]) -> list[str]:
    return [event.kind for event in events]


def reproducible(events: list[RunEvent]) -> list[dict[str, Any]]:
    """Everything but numbers, clocks, and what depends on them."""
    kept: list[dict[str, Any]] = []
    for event in events:
        if event.kind == "started":
            continue
        content = json.loads(event.model_dump_json(exclude={"seq", "wall", "bytes", "sha256", "blocks"}))
        if event.kind == "metrics":
            frames = content["frames"].items()
            content["frames"] = {name: values for name, values in frames if not name.startswith(("speed/", "time/"))}
        kept.append(content)
    return kept


def frames_of(events: list[RunEvent], name: str) -> dict[int, list[float]]:
    """Values of one metric by step."""
    return {event.step: event.frames[name] for event in events if event.kind == "metrics" and name in event.frames}


def last_arrays(run_dir: Path) -> dict[str, np.ndarray]:
    """The arrays of the last checkpoint but the clocks."""
    record = latest_checkpoint(run_dir)
    assert record
    with np.load(checkpoints_dir(run_dir) / record.file, allow_pickle=False) as file:
        return {name: file[name] for name in file.files if name not in ("wall", "seconds")}
