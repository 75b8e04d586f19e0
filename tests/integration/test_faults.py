"""Each process dies in the middle of a run. The run must end with exactly the results of an undisturbed one."""

import os
import signal

import psutil
import pytest

pytestmark = pytest.mark.slow

BUDGET = 6000
FAULT_STEP = 1000
"""Two checkpoints are behind it, and most of the run before it."""


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
def run_id(platform, spec, undisturbed):
    """A run that is on its way."""
    run_id = platform.submit(spec)
    platform.wait_for_run(run_id, lambda run: run.step >= FAULT_STEP, f"step {FAULT_STEP}")
    platform.trainer_pid()  # or else it had ended already, and no fault could hit it
    return run_id


def assert_finished_alike(platform, run_id, undisturbed, read_history, attempts):
    run = platform.wait_until_ended(run_id)
    assert (run.status, run.step, run.attempts) == ("finished", BUDGET, attempts), run.error
    history = read_history(platform, run_id)
    assert history.frames.keys() == undisturbed.frames.keys()
    for name, frames in undisturbed.frames.items():
        assert history.frames[name] == frames, name
    assert history.lineage == undisturbed.lineage
    assert history.outcome == undisturbed.outcome


def test_the_trainer_is_killed(platform, run_id, undisturbed, read_history):
    os.kill(platform.trainer_pid(), signal.SIGKILL)
    assert_finished_alike(platform, run_id, undisturbed, read_history, attempts=2)
    lines = [line.text for line in platform.client.logs(run_id, attempt=2)]
    assert any("from the checkpoint" in line for line in lines), lines


def test_the_worker_is_killed_and_started_again(platform, run_id, undisturbed, read_history):
    trainer = psutil.Process(platform.trainer_pid())
    platform.worker.kill()
    platform.wait(lambda: not trainer.is_running(), "the orphaned trainer to end itself")
    platform.start_worker()
    assert_finished_alike(platform, run_id, undisturbed, read_history, attempts=2)


def test_the_api_is_killed_and_started_again(platform, run_id, undisturbed, read_history):
    platform.api.kill()
    platform.start_api()
    assert_finished_alike(platform, run_id, undisturbed, read_history, attempts=1)


def test_the_whole_rest_of_a_run_waits_in_the_spool_for_an_absent_api(platform, run_id, undisturbed, read_history):
    trainer = psutil.Process(platform.trainer_pid())
    platform.api.kill()
    platform.wait(lambda: not trainer.is_running(), "the trainer to finish alone", timeout=120.0)
    platform.start_api()
    assert_finished_alike(platform, run_id, undisturbed, read_history, attempts=1)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_redis_is_restarted(platform, run_id, undisturbed, read_history, make_spec, number):
    platform.redis.end(number)
    platform.start_redis()
    assert_finished_alike(platform, run_id, undisturbed, read_history, attempts=1)
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
def test_a_worker_that_leaves_in_order_gives_its_run_back(platform, run_id, number):
    assert platform.worker.end(number) == 0
    run = platform.client.run(run_id)
    assert run.status in ("queued", "dispatched")
    assert max(artifact.step for artifact in platform.client.artifacts(run_id)) == run.step
    platform.start_worker()
    run = platform.wait_until_ended(run_id)
    assert (run.status, run.step) == ("finished", BUDGET)


def test_a_worker_that_slept_through_its_lease_is_fenced_off(platform, run_id, undisturbed, read_history):
    """Another machine takes the run over from the stored checkpoint; the sleeper awakes and must change nothing."""
    trainer = psutil.Process(platform.trainer_pid())
    os.kill(platform.worker.pid, signal.SIGSTOP)
    other = platform.other_machine("second")
    try:
        other.start()
        platform.wait_for_run(run_id, lambda run: run.worker_name == "second", "the second worker to take it")
        os.kill(platform.worker.pid, signal.SIGCONT)
        platform.wait(lambda: not trainer.is_running(), "the first worker to end its trainer")
        assert_finished_alike(platform, run_id, undisturbed, read_history, attempts=2)
        assert platform.client.run(run_id).worker_name == "second"
    finally:
        os.kill(platform.worker.pid, signal.SIGCONT)
        other.close()
