"""Evaluations on the service from a terminal; a real worker plays in `tests/integration/test_evaluations.py`."""

import json

import pytest

from phylon.errors import ApiError
from phylon.presets import load_preset


@pytest.fixture
def ask(phylon, service):
    return lambda *arguments: phylon(*arguments, "--url", service.url)


def test_an_evaluation_has_the_verbs_of_other_work(ask, client, worker):
    run = client.submit(load_preset("td3-pbt-pendulum-smoke").yaml, wait_for_worker=True).runs[0].id
    with pytest.raises(ApiError, match="left no policy"):
        client.evaluate(run)
    worker.upload(run, worker.claim(run), "policy.zip", b"weights")
    made = client.evaluate(run, episodes=20, films=2, sample=True, wait_for_worker=True)
    assert (made.status, made.total, made.wanted_films, made.sample) == ("queued", 20, 2, True)
    evaluation = str(made.id)
    said = [ask(verb, "--evaluation", evaluation).stdout for verb in ("pause", "resume", "stop")]
    assert ["is paused" in said[0], "is queued" in said[1], "is stopped" in said[2]] == [True] * 3
    assert ask("retry", "--evaluation", evaluation).exit_code == 1
    [found] = json.loads(ask("evaluations", "--run", str(run), "--json").stdout)
    assert (found["id"], found["policies"][0]["run_id"]) == (made.id, run)
    assert "0/20" in ask("evaluations").stdout
    assert client.wait_for_evaluation(made.id).status == "stopped"
    assert list(client.evaluation_logs(made.id)) == []
    client.delete_evaluation(made.id)
    assert client.evaluations(run) == []


def test_only_runs_of_the_service_play_on_its_workers(ask, tmp_path):
    local = ask("play", str(tmp_path), "--on-worker")
    assert local.exit_code == 2 and "plays policies of the service's runs" in local.stderr
    unknown = ask("play", "99999", "--on-worker")
    assert unknown.exit_code == 2 and "There is no run 99999" in unknown.stderr
