"""Runs a study: contenders for the same work are prepared one after the other and then take turns, repeat by repeat.

So a busy moment of the machine affects all of them alike, and no two ever work at the same time.
"""

import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from phylon import study
from phylon.spec import RuntimeStudySpec, StudyCell
from phylon.study import Machine, Measurement, cell_of
from phylon.worker.studies.cell import Failed
from phylon.worker.studies.contender import Task
from phylon.worker.studies.lane import Lane, LaneFailed, failure

SETTLING_SECONDS = 0.02
"""Between two turns: thread pools spin briefly before they sleep, which must not slow the next contender."""


class Journal(Protocol):
    """Is informed of what happens, as it happens. `progress` may raise, which ends the study where it stands."""

    def progress(self, text: str) -> None: ...
    def measured(self, measurements: Sequence[Measurement]) -> None: ...


def run(spec: RuntimeStudySpec, machine: Machine, folder: Path, journal: Journal) -> None:
    """Continues where the study's file ends. The failure of a single cell is recorded, never raised."""
    file = folder / study.STUDY_FILE
    done = {cell_of(measurement): measurement for measurement in study.read(file).measurements}
    for _, group in itertools.groupby(spec.cells(), key=lambda cell: cell.work):
        contenders = list(group)
        if all(cell in done for cell in contenders):
            continue
        found = _measure(spec, machine, folder, contenders, done, journal.progress)
        fresh = [measurement for cell, measurement in found.items() if cell not in done]
        study.append(file, fresh)
        done.update(found)
        journal.measured(fresh)


Found = dict[StudyCell, Measurement]


def _measure(
    spec: RuntimeStudySpec,
    machine: Machine,
    folder: Path,
    cells: Sequence[StudyCell],
    done: Found,
    report: Callable[[str], None],
) -> Found:
    found: Found = {}
    hopeful: list[StudyCell] = []
    for cell in cells:
        smaller = _ran_out_before(cell, done)
        if smaller is None:
            hopeful.append(cell)
        else:
            found[cell] = failure(cell, Failed("out_of_memory", f"{smaller} members were too many already"))
    found |= _take_turns(spec, machine, folder, hopeful, report)
    for cell, measurement in list(found.items()):
        # It shared the memory with other contenders; the study asks whether it fits alone.
        if cell in hopeful and len(hopeful) > 1 and measurement.status == "out_of_memory":
            found |= _take_turns(spec, machine, folder, [cell], report)
    return {cell: found[cell] for cell in cells}


def _ran_out_before(cell: StudyCell, done: Found) -> int | None:
    """The smaller population with which this contender ran out of memory at otherwise the same work."""
    for other, measurement in done.items():
        same = other.model_copy(update={"population_size": cell.population_size}) == cell
        if same and other.population_size < cell.population_size and measurement.status == "out_of_memory":
            return other.population_size
    return None


def _take_turns(
    spec: RuntimeStudySpec, machine: Machine, folder: Path, cells: Sequence[StudyCell], report: Callable[[str], None]
) -> Found:
    found: Found = {}
    lanes: dict[StudyCell, Lane] = {}

    def step(cell: StudyCell, action: Callable[[], None]) -> None:
        try:
            action()
        except LaneFailed as error:
            found[cell] = failure(cell, error.failed)
            if cell in lanes:
                lanes.pop(cell).close()

    def open_lane(cell: StudyCell) -> None:
        report(f"{_describe_work(cell)}: {cell.contender} starts")
        for tasks in _tasks(spec, machine, folder, cell):
            if cell in lanes:
                lanes.pop(cell).close()
            lanes[cell] = Lane(cell, tasks)
            lanes[cell].prepare()
        lanes[cell].plan(spec.seconds / spec.repeats)

    def finish(cell: StudyCell) -> None:
        found[cell] = lanes[cell].finish()

    try:
        for cell in cells:
            step(cell, lambda cell=cell: open_lane(cell))
        for number in range(spec.repeats):
            for cell, lane in list(lanes.items()):
                report(f"{_describe_work(cell)}: repeat {number + 1} of {spec.repeats}")
                time.sleep(SETTLING_SECONDS)
                step(cell, lane.repeat)
        for cell in list(lanes):
            step(cell, lambda cell=cell: finish(cell))
    finally:
        for lane in lanes.values():
            lane.close()
    return found


def _tasks(spec: RuntimeStudySpec, machine: Machine, folder: Path, cell: StudyCell) -> Iterator[list[Task]]:
    """The processes of a cell; for `auto` first one that only chooses."""
    cores = sorted(os.sched_getaffinity(0))
    # Our own strategy starts processes itself; PyTorch's members are shared out here.
    is_shared_out = cell.framework == "torch" and cell.strategy == "parallel"
    processes = min(cell.population_size, len(cores)) if is_shared_out else 1

    def task(number: int, only_choose: bool = False) -> Task:
        return Task(
            cell=cell,
            members=len(range(number, cell.population_size, processes)),
            cores=tuple(cores[number::processes]),
            device=machine.device,
            warmup_calls=spec.warmup_calls,
            measurements=str(folder / "strategies"),
            only_choose=only_choose,
        )

    if cell.strategy == "auto":
        yield [task(0, only_choose=True)]
    yield [task(number) for number in range(processes)]


def _describe_work(cell: StudyCell) -> str:
    return f"{cell.algorithm}, {cell.population_size} members, {cell.fused_updates} updates per call"
