"""pause, resume, retry, extend and attempts against the real service."""

import json

import pytest

from phylon.contract.events import Failed, Finished, Started
from phylon.presets import load_preset

SMOKE = "td3-pbt-pendulum-smoke"


@pytest.fixture
def ask(phylon, service):
    """`phylon` with the address of the real service."""

    def run(*arguments: str):
        return phylon(*arguments, "--url", service.url)

    return run


@pytest.fixture
def experiment(client):
    return client.submit(load_preset(SMOKE).yaml)


def started() -> Started:
    return Started(
        kind="started", seq=0, step=0, wall=0.0, resumed=False, strategy="sharded", explanation="asked for",
        devices=["cpu:0"], versions={}, parameters=1,
    )  # fmt: skip


def failed(seq: int) -> Failed:
    return Failed(
        kind="failed", seq=seq, step=1000, wall=2.0, message="the critic's loss is NaN", remedy="lower the rates",
        member=1, hyperparams={"discount": 0.95},
    )  # fmt: skip


def finished(seq: int) -> Finished:
    return Finished(
        kind="finished", seq=seq, step=12_000, wall=9.0, best_member=0, fitness=-900.0, final=None, reason="budget"
    )


def test_pause_and_resume(ask, client, experiment):
    number, run = str(experiment.id), experiment.runs[0].id
    assert f"experiment {number}: run {run} is paused" in ask("pause", number).stdout
    again = ask("pause", number)
    assert again.exit_code == 1 and "Resume it" in again.stderr
    assert f"run {run} is queued" in ask("resume", number, "--replicate", "0").stdout
    assert client.run(run).status in ("queued", "dispatched")


def test_a_running_run_is_about_to_pause(ask, experiment, worker):
    worker.claim(experiment.runs[0].id)
    assert "is about to pause" in ask("pause", str(experiment.id)).stdout


def test_retry_and_attempts(ask, experiment, worker):
    number, run = str(experiment.id), experiment.runs[0].id
    worker.report(run, worker.claim(run), started(), failed(1))
    assert "is queued" in ask("retry", number).stdout
    assert "failed" in ask("attempts", number).stdout
    [attempt] = json.loads(ask("attempts", number, "--json").stdout)
    assert (attempt["end"], attempt["detail"], attempt["to_step"]) == ("failed", "the critic's loss is NaN", 1000)


def test_extend(ask, client, experiment, worker):
    number, run = str(experiment.id), experiment.runs[0].id
    worker.report(run, worker.claim(run), started(), finished(1))
    tighter = ask("extend", number, "--set", "budget.env_steps=11000")
    assert tighter.exit_code == 1 and "tighter" in tighter.stderr
    assert "is queued" in ask("extend", number, "--set", "budget.env_steps=24000").stdout
    assert client.run(run).total_steps == 24_000


def test_a_group_as_a_whole(ask, client):
    group = client.submit(load_preset("dmc15-smoke").yaml)
    assert f"{group.size} paused" in ask("pause", "--group", str(group.id)).stdout
    assert f"{group.size} queued" in ask("resume", "--group", str(group.id)).stdout
    assert f"{group.size} stopped" in ask("stop", "--group", str(group.id)).stdout


def test_a_study_has_the_same_verbs(ask, client):
    study = str(client.submit_study(load_preset("figure2-td3-sac-smoke").yaml, wait_for_worker=True).id)
    said = [ask(verb, "--study", study).stdout for verb in ("pause", "resume", "stop")]
    assert ["is paused" in said[0], "is queued" in said[1], "is stopped" in said[2]] == [True] * 3
    assert ask("retry", "--study", study).exit_code == 1
    assert [found["id"] for found in json.loads(ask("studies", "--json").stdout)] == [int(study)]
    client.delete_study(int(study))  # others look at all studies of the same service


def test_a_job_is_moved_and_gets_another_class(ask, client):
    first, second = (client.submit(load_preset(SMOKE).yaml, wait_for_worker=True).id for _ in range(2))
    jobs = {job.experiment_id: job.id for job in client.queue().waiting}
    assert "is moved" in ask("move", str(jobs[second]), "--front").stdout
    places = {job.experiment_id: job.position for job in client.queue().waiting}
    assert places[second] < places[first]
    assert "is of class high" in ask("prioritise", str(jobs[first]), "high").stdout
    assert next(job for job in client.queue().waiting if job.experiment_id == first).priority == "high"
    assert ask("move", str(jobs[first])).exit_code == 2
    assert ask("stop", str(first), str(second)).exit_code == 0  # else the next worker would get them


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pause"], "give the numbers of experiments, or --group"),
        (["resume", "1", "--group", "2"], "give the numbers of experiments, or --group"),
        (["retry", "--group", "2", "--replicate", "0"], "--replicate is for experiments"),
        (["extend", "1", "--set", "population.size=8"], "changes the budget alone"),
        (["extend", "1", "--set", "budget=8"], "changes the budget alone"),
    ],
)
def test_what_cannot_be_meant(ask, arguments, said):
    result = ask(*arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
