"""Each process dies in the middle of a job. The job must end as if nothing had happened.

A run has exactly the results of an undisturbed one. A study has every cell, measured once, and those from before the
fault are kept.
"""

import contextlib
import os
import signal
import sqlite3
from typing import Any, Protocol

import psutil
import pytest

from phylon.contract.study_events import Measured, study_event
from phylon.spec import parse_study
from phylon.study import cell_of

pytestmark = pytest.mark.slow

BUDGET = 6000
FAULT_STEP = 1000
"""Two checkpoints are behind it, and most of the run before it."""
STUDY = parse_study(
    {
        **{"version": 1, "name": "disturbed", "kind": "runtime_study", "algorithms": ["ddpg"], "frameworks": ["torch"]},
        **{"strategies": ["sequential"], "population_sizes": [1, 2, 3], "fused_updates": [1], "batch_sizes": [4]},
        **{"hidden": [[4]], "repeats": 2, "warmup_calls": 1, "seconds": 0.1},
    }
)


class Job(Protocol):
    """A job that is on its way."""

    def pid(self) -> int: ...
    def read(self) -> Any: ...
    def assert_ends_well(self, attempts: int) -> None: ...


class RunJob:
    def __init__(self, platform, spec, undisturbed, read_history) -> None:
        self._platform, self._undisturbed, self._read_history = platform, undisturbed, read_history
        self.id = platform.submit(spec)
        platform.wait_for_run(self.id, lambda run: run.step >= FAULT_STEP, f"step {FAULT_STEP}")
        self.pid()  # or else it had ended already, and no fault could hit it

    def pid(self) -> int:
        return self._platform.trainer_pid()

    def read(self) -> Any:
        return self._platform.client.run(self.id)

    def assert_ends_well(self, attempts: int) -> None:
        run = self._platform.wait_until_ended(self.id)
        assert (run.status, run.step, run.attempts) == ("finished", BUDGET, attempts), run.error
        history, undisturbed = self._read_history(self._platform, self.id), self._undisturbed
        assert history.frames.keys() == undisturbed.frames.keys()
        for name, frames in undisturbed.frames.items():
            assert history.frames[name] == frames, name
        assert history.lineage == undisturbed.lineage
        assert history.outcome == undisturbed.outcome


class StudyJob:
    def __init__(self, platform) -> None:
        self._platform = platform
        self.id = platform.client.submit_study(STUDY).id
        platform.wait(lambda: self.read().done >= 1, "its first cell", 120.0)
        self._before = list(self.read().measurements)
        self.pid()

    def pid(self) -> int:
        return self._platform.trainer_pid("phylon.worker.studies")

    def read(self) -> Any:
        return self._platform.client.study(self.id)

    def assert_ends_well(self, attempts: int) -> None:
        self._platform.wait(lambda: self.read().status in ("finished", "failed", "stopped"), "its end", 180.0)
        study = self.read()
        assert (study.status, study.error, study.done) == ("finished", None, len(STUDY.cells()))
        assert [cell_of(measurement) for measurement in study.measurements] == list(STUDY.cells())
        assert list(study.measurements)[: len(self._before)] == self._before
        with contextlib.closing(sqlite3.connect(self._platform.folder / "phylon.db")) as database:
            job = "SELECT job_id FROM studies WHERE id = ?"
            counted = database.execute(f"SELECT attempt - handed_back FROM jobs WHERE id = ({job})", [self.id])
            assert counted.fetchone() == (attempts,)
            rows = database.execute(f"SELECT seq, payload FROM events WHERE job_id = ({job}) ORDER BY seq", [self.id])
            history = rows.fetchall()
        assert [seq for seq, _ in history] == list(range(len(history)))
        events = [study_event.validate_json(payload) for _, payload in history]
        measured = [event.measurement for event in events if isinstance(event, Measured)]
        assert measured == list(study.measurements), "each cell was measured and reported once"
        assert [event.kind for event in events].count("finished") == 1


@pytest.fixture(scope="module")
def platform(run_platform):
    with run_platform() as platform:
        yield platform


@pytest.fixture(scope="module")
def spec(make_spec):
    return make_spec(budget__env_steps=BUDGET)


@pytest.fixture(scope="module")
def undisturbed(platform, spec, read_history):
    run_id = platform.submit(spec)
    assert platform.wait_until_ended(run_id).attempts == 1
    return read_history(platform, run_id)


@pytest.fixture(autouse=True)
def everyone_lives(platform):
    """A test that failed half-way must not take those after it along."""
    starts = {
        platform.redis: platform.start_redis,
        platform.api: platform.start_api,
        platform.worker: platform.start_worker,
    }
    for process, start in starts.items():
        if not process.is_alive:
            start()


@pytest.fixture
def start_run(platform, spec, undisturbed, read_history):
    return lambda: RunJob(platform, spec, undisturbed, read_history)


@pytest.fixture(params=["run", "study"])
def job(request, platform) -> Job:
    if request.param == "run":
        return request.getfixturevalue("start_run")()
    pytest.importorskip("torch", reason="PyTorch is not installed; run: pip install 'phylon[torch]'")
    return StudyJob(platform)


def test_the_process_is_killed(job, platform):
    os.kill(job.pid(), signal.SIGKILL)
    job.assert_ends_well(attempts=2)


def test_a_killed_trainer_leaves_a_checkpoint_to_go_on_from(start_run, platform):
    run = start_run()
    os.kill(run.pid(), signal.SIGKILL)
    run.assert_ends_well(attempts=2)
    lines = [line.text for line in platform.client.logs(run.id, attempt=2)]
    assert any("from the checkpoint" in line for line in lines), lines


def test_the_worker_is_killed_and_started_again(job, platform):
    process = psutil.Process(job.pid())
    platform.worker.kill()
    platform.wait(lambda: not process.is_running(), "the orphaned process to end itself")
    platform.start_worker()
    job.assert_ends_well(attempts=2)


def test_the_api_is_killed_and_started_again(job, platform):
    platform.api.kill()
    platform.start_api()
    job.assert_ends_well(attempts=1)


def test_the_whole_rest_of_a_job_waits_in_the_spool_for_an_absent_api(job, platform):
    process = psutil.Process(job.pid())
    platform.api.kill()
    platform.wait(lambda: not process.is_running(), "the process to finish alone", timeout=120.0)
    platform.start_api()
    job.assert_ends_well(attempts=1)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_redis_is_restarted(job, platform, make_spec, number):
    platform.redis.end(number)
    platform.start_redis()
    job.assert_ends_well(attempts=1)
    # and the worker hears again
    second = platform.submit(make_spec(budget__env_steps=400))
    assert platform.wait_until_ended(second).status == "finished"


def test_redis_is_restarted_under_an_idle_worker(platform, make_spec):
    platform.wait(platform.idle_workers, "the worker to be free")
    platform.redis.kill()
    platform.start_redis()
    run_id = platform.submit(make_spec(budget__env_steps=400))
    assert platform.wait_until_ended(run_id).status == "finished"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_a_worker_that_leaves_in_order_gives_its_run_back(start_run, platform, number):
    run = start_run()
    assert platform.worker.end(number) == 0
    given_back = run.read()
    assert given_back.status in ("queued", "dispatched")
    assert max(artifact.step for artifact in platform.client.artifacts(run.id)) == given_back.step
    platform.start_worker()
    ended = platform.wait_until_ended(run.id)
    assert (ended.status, ended.step, ended.attempts) == ("finished", BUDGET, 1)


def test_a_worker_that_leaves_in_order_gives_its_study_back(platform):
    pytest.importorskip("torch", reason="PyTorch is not installed; run: pip install 'phylon[torch]'")
    study = StudyJob(platform)
    assert platform.worker.end(signal.SIGTERM) == 0
    assert study.read().status in ("queued", "dispatched")
    platform.start_worker()
    study.assert_ends_well(attempts=1)


def test_a_worker_that_slept_through_its_lease_is_fenced_off(job, platform):
    """Another machine takes the job over from what is stored; the sleeper awakes and must change nothing."""
    process = psutil.Process(job.pid())
    os.kill(platform.worker.pid, signal.SIGSTOP)
    other = platform.other_machine("second")
    try:
        other.start()
        platform.wait(lambda: job.read().worker_name == "second", "the second worker to take it", 120.0)
        os.kill(platform.worker.pid, signal.SIGCONT)
        platform.wait(lambda: not process.is_running(), "the first worker to end its process")
        job.assert_ends_well(attempts=2)
        assert job.read().worker_name == "second"
    finally:
        os.kill(platform.worker.pid, signal.SIGCONT)
        other.close()
