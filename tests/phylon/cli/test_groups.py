"""Groups on the command line: submit, groups and list --group with the real service, train with the real trainer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from phylon.cli.group_watching import watch_group
from phylon.contract.events import Failed, Finished, Metrics
from phylon.presets import load_preset

PAIR = """
version: 1
name: pair
kind: group
base:
  environment: {suite: gymnasium, id: Pendulum-v1}
  algorithm: {name: td3, batch_size: 8, network: {hidden: [4]}}
  population: {size: 2, method: {name: independent}}
  replay: {capacity: 200, warmup: 50}
  budget: {env_steps: 100}
  evaluation: {interval: 50, episodes: 1}
  metrics: {interval: 50}
  checkpoint: {interval: 100}
  execution: {strategy: sequential}
experiments:
  bad: {algorithm.critic_learning_rate: 1.0e+30}
  good: {seed: 1}
"""


@pytest.fixture
def ask(phylon, service):
    return lambda *arguments, **options: phylon(*arguments, "--url", service.url, **options)


@pytest.fixture
def pair(client):
    return client.submit(PAIR)


class TestSubmit:
    def test_words_for_people(self, ask):
        result = ask("submit", "dmc15-smoke")
        assert result.exit_code == 0, result.stderr
        assert "(dmc15-smoke): 15 experiments are queued" in result.stdout

    def test_json_for_scripts(self, ask, client):
        group = json.loads(ask("submit", "dmc15-smoke", "--set", "base.seed=5", "--json").stdout)
        assert client.experiment(group["experiments"][0]["id"]).spec["seed"] == 5
        listed = json.loads(ask("list", "--group", str(group["id"]), "--json").stdout)
        assert len(listed) == 15

    def test_one_invalid_experiment_stores_nothing(self, ask, client):
        before = len(client.experiments())
        result = ask("submit", "-", input=load_preset("dmc15").yaml.replace("CheetahRun", "CheetahRn"))
        assert result.exit_code == 2
        assert "experiments.cheetah-run.environment.id" in result.stderr
        assert len(client.experiments()) == before


class TestGroups:
    def test_listed_shown_and_stopped(self, ask, pair):
        assert "pair" in ask("groups").stdout
        assert json.loads(ask("groups", "--json").stdout)[0]["id"] == pair.id
        shown = ask("groups", str(pair.id)).stdout
        assert "2 queued" in shown and "pair-good" in shown
        assert f"phylon compare group-{pair.id}" in shown, "two settings of one environment are arms"
        assert "2 stopped" in ask("stop", "--group", str(pair.id)).stdout
        assert ask("stop", "--group", str(pair.id)).exit_code == 1

    def test_wrong_usage(self, ask):
        assert ask("groups", "999999").exit_code == 2
        result = ask("groups", "--seeds", "somewhere")
        assert result.exit_code == 2 and "needs the number of a group" in result.stderr

    def test_watched_to_the_end(self, client, worker, capsys):
        """One has failed and one has finished: the watching ends with 1 and tells the aggregate of tasks."""
        pair = client.submit(PAIR.replace("kind: group", "kind: group\nof: tasks"))
        bad, good = (client.experiment(experiment.id).runs[0].id for experiment in pair.experiments)
        failure = Failed(
            kind="failed", seq=0, step=10, wall=1.0, message="no number", remedy="less", member=0, hyperparams={}
        )
        worker.report(bad, worker.claim(bad), failure)
        frames = Metrics(kind="metrics", seq=0, step=100, wall=1.0, frames={"evaluation/return": [1.0, 3.0]})
        done = Finished(kind="finished", seq=1, step=100, wall=2.0, best_member=0, fitness=3.0)
        worker.report(good, worker.claim(good), frames, done)
        with pytest.raises(typer.Exit) as ended:
            watch_group(client, pair.id)
        assert ended.value.exit_code == 1
        printed = capsys.readouterr()
        assert "pair-bad is failed" in printed.err and "pair-good is finished" in printed.err
        assert "1 failed, 1 finished" in printed.out and "interquartile mean 2 (95 % interval 1 to 3)" in printed.out
        assert "last in training" in printed.out


def test_train_goes_on_after_a_failure(tmp_path: Path):
    (tmp_path / "pair.yaml").write_text(PAIR)
    own = {name: value for name, value in os.environ.items() if name not in ("XLA_FLAGS", "JAX_PLATFORMS")}
    result = subprocess.run(
        [sys.executable, "-m", "phylon", "train", "pair.yaml", "--out", "runs"],
        cwd=tmp_path, env=own, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert result.returncode == 1, result.stderr
    assert "1 of 2: pair-bad" in result.stderr and "1 of 2 experiments failed: bad" in result.stderr
    assert "pair-good finished at step 100 of 100" in result.stdout
    assert "runs/: comparison.png" in result.stdout and "figure2.png" not in result.stdout
    assert (tmp_path / "runs" / "comparison.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "runs" / "good" / "run.json").is_file() and (tmp_path / "runs" / "bad" / "run.json").is_file()
