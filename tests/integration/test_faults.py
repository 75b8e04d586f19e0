"""Each process dies in the middle of a job. The job must end as if nothing had happened.

A run has exactly the results of an undisturbed one. A study has every cell, measured once, and those from before the
fault are kept.
"""

import contextlib
import os
import signal
import sqlite3
from typing import Any

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
        **{
            "strategies": ["sequential"],
            "population_sizes": [1, 2, 3, 4, 5, 6],
            "fused_updates": [1],
            "batch_sizes": [4],
        },
        **{"hidden": [[4]], "repeats": 2, "warmup_calls": 1, "seconds": 0.1},
    }
)


def count_attempts(database: sqlite3.Connection, job: str, id: int) -> int:
    """Those of the job that were not handed back in order."""
    counted = f"SELECT count(*) FROM attempts WHERE job_id = ({job}) AND attempts.end <> 'worker_shutdown'"
    return database.execute(counted, [id]).fetchone()[0]


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
        assert (run.status, run.step) == ("finished", BUDGET), run.error
        assert run.attempts == 1, "it made progress since its last bad end"
        ends = [attempt.end for attempt in self._platform.client.attempts(self.id)]
        assert len([end for end in ends if end != "worker_shutdown"]) == attempts, ends
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
        self._before: list[Any] = []
        self.measure_one_more()

    def measure_one_more(self) -> None:
        """Until there is a cell that the next fault could spoil."""
        done = self.read().done
        self._platform.wait(lambda: self.read().done > done, "another cell", 120.0)
        self._before = list(self.read().measurements)
        self.pid()  # or else it had ended already, and no fault could hit it

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
            assert count_attempts(database, job, self.id) == attempts
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


@pytest.fixture
def job(start_run) -> RunJob:
    return start_run()


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
def test_a_worker_that_leaves_in_order_gives_its_run_back(start_run, platform, spec, number):
    run = start_run()
    assert platform.worker.end(number) == 0
    given_back = run.read()
    assert given_back.status in ("queued", "dispatched")
    assert max(artifact.step for artifact in platform.client.artifacts(run.id)) == given_back.step
    platform.start_worker()
    ended = platform.wait_until_ended(run.id)
    assert (ended.status, ended.step, ended.attempts) == ("finished", BUDGET, 1)
    is_scheduled = given_back.step % spec["checkpoint"]["interval"] == 0
    expected = [] if is_scheduled else [(given_back.step, "handed_back")]
    assert [(each.step, each.reason) for each in ended.interruptions] == expected


def test_a_run_that_resumes_exactly_is_not_changed_by_a_hand_back(platform, make_spec, undisturbed, read_history):
    exact = make_spec(budget__env_steps=BUDGET, checkpoint__resume="exact")
    run = RunJob(platform, exact, undisturbed, read_history)
    assert platform.worker.end(signal.SIGTERM) == 0
    given_back = run.read()
    assert given_back.status in ("queued", "dispatched")
    steps = [artifact.step for artifact in platform.client.artifacts(run.id)]
    assert steps and all(step % exact["checkpoint"]["interval"] == 0 for step in steps)
    platform.start_worker()
    run.assert_ends_well(attempts=1)
    assert run.read().interruptions == []


def test_a_study_survives_every_fault_in_turn(platform):
    """The core of all kinds of jobs is the one that the tests above disturb; here it carries a study."""
    pytest.importorskip("torch", reason="PyTorch is not installed; run: pip install 'phylon[torch]'")
    study = StudyJob(platform)
    os.kill(study.pid(), signal.SIGKILL)
    study.measure_one_more()
    process = psutil.Process(study.pid())
    platform.worker.kill()
    platform.wait(lambda: not process.is_running(), "the orphaned process to end itself")
    platform.start_worker()
    study.measure_one_more()
    platform.redis.kill()
    platform.start_redis()
    assert platform.worker.end(signal.SIGTERM) == 0
    assert study.read().status in ("queued", "dispatched")
    platform.start_worker()
    study.measure_one_more()
    process = psutil.Process(study.pid())
    platform.api.kill()
    platform.wait(lambda: not process.is_running(), "the process to finish alone", timeout=120.0)
    platform.start_api()
    study.assert_ends_well(attempts=3)


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
