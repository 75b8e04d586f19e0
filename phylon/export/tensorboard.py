"""A run for TensorBoard: one directory a member, and `population` for what belongs to all of them."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phylon.export.event_records import scalar_records, version_record
from phylon.export.metrics import NamedSeries, as_single, is_of_whole_population
from phylon.returns import RETURN, best_of, median_of
from phylon.series import Series

EVENT_FILE = "events.out.tfevents.phylon"
"""TensorBoard knows its files by the word in the middle. Always the same, so that a newer export replaces an older."""

POPULATION = "population"


def write_event_files(folder: Path, series: Iterable[NamedSeries], population_size: int, began: float) -> list[str]:
    """The directories that were written, below `folder`.

    Tags are the names of metrics, steps those of the environment. `began` is when the run did, in Unix time.
    """
    for old in folder.glob(f"*/{EVENT_FILE}"):
        old.unlink()
    digits = max(2, len(str(population_size - 1)))
    for name, one in series:
        wall_times = began + one.wall
        if is_of_whole_population(name, one, population_size):
            _append(folder / POPULATION, began, name, one.steps, wall_times, one.values[:, 0])
            continue
        for member, values in enumerate(one.values.T):
            _append(folder / f"member-{member:0{digits}}", began, name, one.steps, wall_times, values)
        if name == RETURN:
            for summary, values in _summaries(one).items():
                _append(folder / POPULATION, began, f"{name}/{summary}", one.steps, wall_times, values)
    return sorted(file.parent.name for file in folder.glob(f"*/{EVENT_FILE}"))


def _summaries(returns: Series) -> dict[str, NDArray[np.float64]]:
    return {
        "best": np.array([best_of(tick) for tick in returns.values]),
        "median": np.array([median_of(tick) for tick in returns.values]),
    }


def _append(
    folder: Path,
    began: float,
    tag: str,
    steps: NDArray[np.int64],
    wall_times: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / EVENT_FILE).open("ab") as file:
        if file.tell() == 0:
            file.write(version_record(began))
        file.write(scalar_records(tag, steps, wall_times, as_single(values)))
