"""One population on two workers of the service: real processes on the loopback interface, each with its own folder."""

import os
import signal

import psutil
import pytest

pytestmark = pytest.mark.slow

SPEC = {
    "name": "gang",
    "environment": {"suite": "probe", "id": "ActionReward-v0"},
    "algorithm": {
        "name": "td3",
        "batch_size": 8,
        "network": {"hidden": [8]},
        "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]},
        "discount": {"uniform": [0.9, 0.99]},
    },
    "population": {"size": 3, "method": {"name": "pbt", "interval": 300}},
    "replay": {"capacity": 150, "ratio": 0.5, "warmup": 40},
    "budget": {"env_steps": 3000},
    "evaluation": {"interval": 300, "episodes": 1, "final": 2},
    "metrics": {"interval": 60},
    "checkpoint": {"interval": 300, "resume": "exact"},
    "execution": {"strategy": "sequential", "segment_steps": 20},
}
START_SECONDS = 8.0


@pytest.fixture(scope="module")
def platform(run_platform):
    with run_platform(gang_start_seconds=START_SECONDS) as platform:
        second = platform.other_machine("second")
        second.start()
        try:
            platform.wait(lambda: len(platform.idle_workers()) == 2, "both workers")
            platform.second = second
            yield platform
        finally:
            second.close()


@pytest.fixture(scope="module")
def alone(platform, read_history):
    """What one host comes to."""
    run_id = platform.submit(SPEC)
    assert platform.wait_until_ended(run_id).status == "finished"
    return read_history(platform, run_id)


def submit(platform, **resources) -> int:
    return platform.submit(SPEC | {"resources": {"hosts": 2, **resources}})


def ranks(platform, run_id):
    return platform.client.attempts(run_id)[-1].ranks


def trainers(platform, run_id) -> list[psutil.Process]:
    """By rank."""
    of_worker = {"first": platform.worker, "second": platform.second}
    found = []
    for rank in ranks(platform, run_id):
        children = psutil.Process(of_worker[rank.worker_name].pid).children()
        found += [child for child in children if "phylon.worker.training" in child.cmdline()]
    return found


def wait_for_work(platform, run_id) -> int:
    """Until the newest attempt has gone beyond a checkpoint of its own; its number."""

    def is_at_work() -> bool:
        attempt = platform.client.attempts(run_id)[-1:]
        has_come = attempt and attempt[0].end is None and attempt[0].to_step is not None
        return (
            has_come and attempt[0].to_step > (attempt[0].from_step or 0) + 300 and len(trainers(platform, run_id)) == 2
        )

    platform.wait(is_at_work, "both processes at work")
    return platform.client.attempts(run_id)[-1].number


def test_it_comes_to_the_numbers_of_one_host(platform, alone, read_history):
    run_id = submit(platform)
    assert platform.wait_until_ended(run_id).status == "finished"
    assert read_history(platform, run_id) == alone
    [attempt] = platform.client.attempts(run_id)
    assert [rank.rank for rank in attempt.ranks] == [0, 1]
    assert {rank.worker_name for rank in attempt.ranks} == {"first", "second"}
    assert attempt.ranks[0].address is not None
    assert all(rank.seconds_per_segment > 0 and rank.host for rank in attempt.ranks)
    for rank in (0, 1):
        lines = [line.text for line in platform.client.logs(run_id, rank=rank)]
        assert any(f"process {rank} of 2, joined" in line for line in lines), lines
    files = {artifact.name: artifact.kind for artifact in platform.client.artifacts(run_id)}
    assert (files["000150.npz"], files["000150.1.npz"]) == ("checkpoint", "block")
    evaluation = platform.client.evaluate({"run": run_id, "member": 2}, episodes=2)  # of the second worker's block
    [played] = platform.client.wait_for_evaluation(evaluation.id).policies
    assert played.loaded.member == 2 and played.summary.episodes == 2


def test_whoever_dies_it_goes_on_from_the_last_checkpoint_that_all_have_written(platform, alone, read_history):
    run_id = submit(platform)
    for rank in (0, 1):
        number = wait_for_work(platform, run_id)
        trainers(platform, run_id)[rank].kill()
        platform.wait_for_run(run_id, lambda run, before=number: run.attempt > before, "another attempt")
    attempt = wait_for_work(platform, run_id)
    platform.second.kill()
    platform.wait_for_run(run_id, lambda run: run.attempt == attempt and run.status != "running", "its loss")
    platform.second.start()
    assert platform.wait_until_ended(run_id).status == "finished"
    assert read_history(platform, run_id) == alone
    ends = [attempt.end for attempt in platform.client.attempts(run_id)]
    assert ends[-1] == "finished" and set(ends[:-1]) <= {"crashed", "lost", "incomplete"}, ends
    resumed = [attempt.from_step for attempt in platform.client.attempts(run_id) if attempt.from_step]
    assert resumed and all(step % 300 == 0 for step in resumed)


def test_a_rank_that_never_comes_gives_the_others_back_and_fewer_may_go_on(platform, alone, read_history):
    """A worker that stands still is still counted for a lease."""
    run_id = submit(platform, min_hosts=1)
    platform.wait_for_run(run_id, lambda run: run.step > 300, "step 300")
    os.kill(platform.second.pid, signal.SIGSTOP)
    try:
        run = platform.wait_until_ended(run_id)
    finally:
        os.kill(platform.second.pid, signal.SIGCONT)
    assert run.status == "finished"
    attempts = platform.client.attempts(run_id)
    assert "rank" in attempts[0].detail and "second" in attempts[0].detail
    assert attempts[-1].ranks == [], "one host alone ended it"
    assert read_history(platform, run_id) == alone
