"""A worker with two slots: jobs side by side, each on its own cores, and what happens when one or all of them end."""

import os
import signal
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.slow

SHORT, ENDLESS = 3000, 10_000_000
BEGUN = 400
"""Its first checkpoint is behind it."""


@pytest.fixture(scope="module")
def platform(run_platform):
    with run_platform(worker_options=("--slots", "2", "--labels", "pair")) as platform:
        yield platform


@pytest.fixture
def start_pair(platform, make_spec):
    """Two runs that have begun."""

    def start(budget: int) -> list[int]:
        runs = [platform.submit(make_spec(budget__env_steps=budget, seed=seed)) for seed in (1, 2)]
        for run_id in runs:
            platform.wait_for_run(run_id, lambda run: run.step >= BEGUN, f"step {BEGUN}")
        return runs

    return start


def trainers(platform) -> dict[int, psutil.Process]:
    """The process in each slot, by the run that it trains."""
    runs = {slot.job.job_id: slot.job.id for slot in first(platform).slots if slot.job is not None}
    children = psutil.Process(platform.worker.pid).children()
    return {
        runs[int(Path(child.cmdline()[-1]).name)]: child
        for child in children
        if "phylon.worker.training" in child.cmdline()
    }


def first(platform):
    [worker] = [worker for worker in platform.client.workers() if worker.name == "first" and worker.state != "lost"]
    return worker


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_two_jobs_run_side_by_side_and_one_that_is_killed_does_not_disturb_the_other(platform, start_pair):
    worker = first(platform)
    assert ([slot.number for slot in worker.slots], worker.labels) == ([0, 1], ["pair"])
    killed, other = start_pair(SHORT)
    processes = trainers(platform)
    cores = [set(processes[run_id].cpu_affinity()) for run_id in (killed, other)]
    assert not cores[0] & cores[1]
    assert cores[0] | cores[1] == os.sched_getaffinity(0)
    assert first(platform).state == "busy"
    processes[killed].kill()
    ends = {run_id: platform.wait_until_ended(run_id) for run_id in (killed, other)}
    assert {run.status for run in ends.values()} == {"finished"}, [run.error for run in ends.values()]
    assert (ends[killed].attempt, ends[other].attempt) == (2, 1)


def test_a_worker_that_leaves_gives_both_back_and_one_that_is_drained_at_once_too(platform, start_pair):
    runs = start_pair(ENDLESS)
    assert platform.worker.end(signal.SIGTERM) == 0
    for run_id in runs:
        run = platform.client.run(run_id)
        assert run.status in ("queued", "dispatched")
        assert (run.attempt, run.attempts) == (1, 0)
        assert max(artifact.step for artifact in platform.client.artifacts(run_id)) == run.step

    platform.start_worker()
    for run_id in runs:
        platform.wait_for_run(run_id, lambda run: run.attempt == 2 and run.status == "running", "its second attempt")
    platform.wait(lambda: len(trainers(platform)) == 2, "both processes")
    processes = trainers(platform)
    platform.client.drain_worker(first(platform).id, now=True)
    for run_id in runs:
        run = platform.wait_for_run(run_id, lambda run: run.status == "queued", "to be handed back")
        assert (run.attempt, run.attempts) == (2, 0)
        assert not processes[run_id].is_running()
    assert first(platform).state == "draining"
    for run_id in runs:
        platform.client.stop_run(run_id)
    platform.client.undrain_worker(first(platform).id)
