"""TensorBoard's event files while a run trains: a folder per member, and `population` for what belongs to all of them.

The files are those of `phylon export --tensorboard`, written tick by tick; births are tables under the tag `lineage`.
"""

from pathlib import Path
from typing import BinaryIO

import numpy as np

from phylon.contract.events import Lineage, Metrics, RunEvent, Span
from phylon.export.event_records import restart_record, scalar_records, text_record, version_record
from phylon.export.metrics import as_single, is_of_whole_population
from phylon.export.tensorboard import EVENT_FILE, POPULATION
from phylon.loggers.logger import LoggedRun, Logger, Record, member_name
from phylon.returns import RETURN, best_of, median_of
from phylon.series import Series

FOLDER = "tensorboard"


def open_record(run: LoggedRun) -> Record:
    folder = run.folder / FOLDER
    names = [member_name(member, run.population_size) for member in range(run.population_size)]
    files = {name: _open(folder / name, run.began) for name in (*names, POPULATION)}

    def record(event: RunEvent) -> None:
        if isinstance(event, Metrics):
            for name, values in event.frames.items():
                _write_metric(name, event, np.array(values, np.float64))
        elif isinstance(event, Lineage):
            text = text_record("lineage", event.step, run.began + event.wall, lineage_table(event.spans))
            files[POPULATION].write(text)
        for file in files.values():
            file.flush()

    def _write_metric(name: str, event: Metrics, values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
        series = Series(np.array([event.step]), np.array([event.wall]), values[None])
        if is_of_whole_population(name, series, run.population_size):
            _write([POPULATION], name, event, values)
            return
        _write(names[: len(values)], name, event, values)
        if name == RETURN:
            _write([POPULATION], f"{name}/best", event, np.array([best_of(values)]))
            _write([POPULATION], f"{name}/median", event, np.array([median_of(values)]))

    def _write(
        into: list[str], tag: str, event: Metrics, values: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    ) -> None:
        """One value into each file. Records of one tag and step have one length, so all are made at once."""
        count = len(values)
        steps = np.full(count, event.step, np.int64)
        made = scalar_records(tag, steps, np.full(count, run.began + event.wall), as_single(values))
        size = len(made) // count
        for place, name in enumerate(into):
            files[name].write(made[place * size : (place + 1) * size])

    def restart(step: int) -> None:
        """TensorBoard forgets what has this step or a later one."""
        for file in files.values():
            file.write(restart_record(step + 1, run.began))

    def close() -> None:
        for file in files.values():
            file.close()

    return Record(record, restart, close, f"tensorboard --logdir {folder}")


def lineage_table(spans: list[Span]) -> str:
    """In Markdown, which TensorBoard shows as a table."""
    names = list(dict.fromkeys(name for span in spans for name in span.hyperparams))
    head = ["span", "member", "parent", "operator", *names]
    rows = [
        [
            *(str(span.id), str(span.slot), "" if span.parent is None else str(span.parent), span.operator),
            *(f"{span.hyperparams[name]:.6g}" if name in span.hyperparams else "" for name in names),
        ]
        for span in spans
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def _open(folder: Path, began: float) -> BinaryIO:
    """To be continued where it exists. What a killed process left half written at its end goes."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / EVENT_FILE
    if path.exists():
        _cut_half_a_record(path)
    file = path.open("ab")
    if file.tell() == 0:
        file.write(version_record(began))
    return file


def _cut_half_a_record(path: Path) -> None:
    with path.open("r+b") as file:
        end = 0
        size = path.stat().st_size
        while end + 12 <= size:
            file.seek(end)
            next_end = end + 16 + int.from_bytes(file.read(8), "little")
            if next_end > size:
                break
            end = next_end
        file.truncate(end)


TENSORBOARD = Logger("tensorboard", "Event files in the run's directory, for TensorBoard", open_record)
