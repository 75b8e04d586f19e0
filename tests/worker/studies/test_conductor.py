"""A study in real processes: what is measured, what is taken up again, what is recorded when a cell dies."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from phylon import study
from phylon.spec import RuntimeStudySpec, parse_study
from phylon.study import Machine, Measurement, measured, unmeasured
from phylon.study_folder import FolderRefused, StudyRequest, open_study
from phylon.worker.studies import conductor
from phylon.worker.studies.cell import Failed, classify_error
from phylon.worker.studies.contender import NotApplicable, Task
from phylon.worker.studies.lane import Lane, LaneFailed

pytest.importorskip("torch", reason="PyTorch is not installed; run: pip install 'phylon[torch]'")

MACHINE = Machine(device="cpu", device_name="a chip", device_count=1, cores=2, memory_bytes=8, versions={})
OTHER_MACHINE = MACHINE.model_copy(update={"device_name": "another"})
SPEC = parse_study(
    {
        **{"version": 1, "name": "tiny", "kind": "runtime_study", "algorithms": ["ddpg"]},
        **{"frameworks": ["torch", "jax"], "strategies": ["sequential", "vectorized", "parallel"]},
        **{"population_sizes": [1, 3], "fused_updates": [2], "batch_sizes": [4], "hidden": [[4]]},
        **{"repeats": 3, "warmup_calls": 1, "seconds": 0.01},
    }
)


class Ran:
    """A study whose population of one was measured before. Of three members, only some contenders have a chance."""

    def __init__(self, folder: Path) -> None:
        self.file, self.reported, self.said = folder / study.STUDY_FILE, list[Measurement](), list[str]()
        study.begin(self.file, SPEC, MACHINE)
        self.before = [self._earlier(cell) for cell in SPEC.cells() if cell.population_size == 1]
        study.append(self.file, self.before)
        conductor.run(SPEC, MACHINE, folder, self)
        found = study.read(self.file).measurements
        self.kept, self.new = list(found[: len(self.before)]), {m.contender: m for m in found[len(self.before) :]}

    def progress(self, text: str) -> None:
        self.said.append(text)

    def measured(self, measurements: Sequence[Measurement]) -> None:
        self.reported += measurements

    def _earlier(self, cell) -> Measurement:
        if cell.contender in ("torch sequential", "torch parallel"):
            return measured(cell, [1.0, 1.0, 1.0], 1, 0.1, 1, 1, None)
        return unmeasured(cell, "out_of_memory", "too large")


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> Ran:
    return Ran(tmp_path_factory.mktemp("study"))


def test_a_study_goes_on_where_it_stood(ran: Ran):
    assert ran.kept == ran.before
    assert [measurement.population_size for measurement in ran.new.values()] == [3] * 6
    assert ran.reported == list(ran.new.values())
    assert not any(" 1 members" in text for text in ran.said)


def test_contenders_take_turns(ran: Ran):
    sequential, parallel = ran.new["torch sequential"], ran.new["torch parallel"]
    for measurement in (sequential, parallel):
        assert measurement.status == "ok", measurement.reason
        assert len(measurement.milliseconds) == 3
        assert 0 < min(measurement.milliseconds) <= measurement.low <= measurement.median <= measurement.high
        assert measurement.peak_memory_bytes > 50e6
        assert measurement.compile_seconds > 0
    cores = min(3, len(os.sched_getaffinity(0)))
    assert (sequential.processes, parallel.processes) == (1, cores)
    turns = [text for text in ran.said if "repeat" in text]
    assert [text.split("repeat ")[1] for text in turns] == ["1 of 3"] * 2 + ["2 of 3"] * 2 + ["3 of 3"] * 2


def test_after_running_out_of_memory_no_larger_population_is_tried(ran: Ran):
    for contender in ("torch vectorized", "jax sequential", "jax vectorized", "jax parallel"):
        assert ran.new[contender].status == "out_of_memory"
        assert ran.new[contender].reason == "1 members were too many already"
        assert not any(contender in text for text in ran.said)


def test_our_parallel_strategy_has_processes_of_its_own(tmp_path: Path):
    [cell] = [cell for cell in SPEC.cells() if cell.contender == "jax parallel" and cell.population_size == 3]
    [tasks] = conductor._tasks(SPEC, MACHINE, tmp_path, cell)
    lane = Lane(cell, tasks)
    lane.prepare()
    lane.plan(0.01)
    for _ in range(2):
        lane.repeat()
    measurement = lane.finish()
    lane.close()
    assert len(tasks) == 1
    assert measurement.processes == min(3, len(os.sched_getaffinity(0)))
    assert measurement.peak_memory_bytes > 100e6 * (1 + measurement.processes)


def test_a_killed_process_is_memory_that_ran_out():
    cell = SPEC.cells()[0]
    cores = tuple(os.sched_getaffinity(0))
    lane = Lane(cell, [Task(cell, 1, cores, "cpu", 1, "")])
    [child] = lane._children
    os.kill(child.process.pid, signal.SIGKILL)
    with pytest.raises(LaneFailed) as caught:
        lane.prepare()
    lane.close()
    assert caught.value.failed.status == "out_of_memory"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (MemoryError(), "out_of_memory"),
        (RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes"), "out_of_memory"),
        (RuntimeError("shapes differ"), "failed"),
        (NotApplicable("no compiler"), "not_applicable"),
    ],
)
def test_an_error_is_classified_by_its_kind(error: Exception, status: str):
    failed = classify_error(error)
    assert isinstance(failed, Failed)
    assert failed.status == status and failed.reason


class TestFolder:
    def request(self, machine: Machine | None = None, measurements=(), if_other_machine="refuse") -> StudyRequest:
        return StudyRequest(
            spec=SPEC.model_dump(mode="json"),
            next_seq=0,
            machine=machine,
            measurements=list(measurements),
            if_other_machine=if_other_machine,
        )

    def cells(self, count: int) -> list[Measurement]:
        return [measured(cell, [1.0, 1.0, 1.0], 1, 0.1, 1, 1, None) for cell in SPEC.cells()[:count]]

    def test_a_study_on_another_machine_is_not_mixed_in(self, tmp_path: Path):
        open_study(tmp_path, SPEC, MACHINE, self.request())
        open_study(tmp_path, SPEC, MACHINE, self.request())
        with pytest.raises(FolderRefused, match="device_name differ"):
            open_study(tmp_path, SPEC, OTHER_MACHINE, self.request())

    def test_another_study_is_refused(self, tmp_path: Path):
        open_study(tmp_path, SPEC, MACHINE, self.request())
        other = RuntimeStudySpec.model_validate(SPEC.model_dump() | {"repeats": 4})
        with pytest.raises(FolderRefused, match="another study"):
            open_study(tmp_path, other, MACHINE, self.request())

    def test_what_other_workers_measured_is_taken_over(self, tmp_path: Path):
        reported = self.cells(3)
        assert open_study(tmp_path, SPEC, MACHINE, self.request(MACHINE, reported)) == []
        assert list(study.read(tmp_path / study.STUDY_FILE).measurements) == reported

    def test_what_was_measured_here_and_never_reported_is_not_lost(self, tmp_path: Path):
        open_study(tmp_path, SPEC, MACHINE, self.request(MACHINE, self.cells(1)))
        study.append(tmp_path / study.STUDY_FILE, self.cells(3)[1:])
        assert open_study(tmp_path, SPEC, MACHINE, self.request(MACHINE, self.cells(2))) == self.cells(3)[2:]

    def test_a_worker_starts_over_where_its_machine_is_another(self, tmp_path: Path):
        open_study(tmp_path, SPEC, MACHINE, self.request(MACHINE, self.cells(2)))
        request = self.request(MACHINE, self.cells(2), "start over")
        assert open_study(tmp_path, SPEC, OTHER_MACHINE, request) == []
        found = study.read(tmp_path / study.STUDY_FILE)
        assert (found.machine, found.measurements) == (OTHER_MACHINE, ())
