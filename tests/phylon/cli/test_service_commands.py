"""submit, list, show, watch, stop, logs, download against the real service."""

import csv
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from phylon.contract.events import Failed, FinalReturn, Finished, Lineage, Metrics, RunEvent, Span, Started
from phylon.contract.protocol import LogLine
from phylon.presets import load_preset
from tests.phylon.conftest import HandPlayedWorker

SMOKE = "td3-pbt-pendulum-smoke"
BOUND_SECONDS = 60.0
"""Only ends a test that hangs."""


@pytest.fixture
def ask(phylon, service):
    """`phylon` with the address of the real service."""

    def run(*arguments: str):
        return phylon(*arguments, "--url", service.url)

    return run


@pytest.fixture
def experiment(client):
    return client.submit(load_preset(SMOKE).yaml)


def history() -> list[RunEvent]:
    founder = Span(
        id=0, slot=0, parent=None, operator="founder", changes={}, hyperparams_before=None, fitness=None,
        hyperparams={"discount": 0.95}, parent_fitness=None, rank=None, weights="00",
    )  # fmt: skip
    return [
        Started(
            kind="started", seq=0, step=0, wall=0.0, resumed=False, strategy="sharded", explanation="asked for",
            devices=["cpu:0"], versions={}, parameters=1,
        ),
        Lineage(kind="lineage", seq=1, step=0, wall=0.0, spans=[founder]),
        Metrics(kind="metrics", seq=2, step=1000, wall=1.0, frames={"evaluation/return": [-900.0, -1200.0]}),
    ]  # fmt: skip


def finished() -> Finished:
    final = FinalReturn(
        member=0, span=0, mean=-950.0, stderr=15.0, low=-980.0, high=-920.0, episodes=50,
        last_return=-900.0, selection_bias=50.0, unseen_levels=False,
    )  # fmt: skip
    return Finished(kind="finished", seq=3, step=12_000, wall=9.0, best_member=0, fitness=-900.0, final=final)


def failed() -> Failed:
    return Failed(
        kind="failed", seq=3, step=1000, wall=2.0, message="the critic's loss is NaN",
        remedy="lower the learning rates", member=1, hyperparams={"discount": 0.95},
    )  # fmt: skip


class TestSubmit:
    def test_json_for_scripts(self, ask, client):
        result = ask("submit", SMOKE, "--set", "seed=5", "--json")
        assert result.exit_code == 0
        submitted = json.loads(result.stdout)
        assert client.experiment(submitted["id"]).runs[0].seed == 5

    def test_words_for_people(self, ask):
        assert "(td3-pbt-pendulum-smoke) is queued" in ask("submit", SMOKE).stdout

    def test_an_invalid_spec_stores_nothing(self, ask, client):
        before = len(client.experiments())
        result = ask("submit", SMOKE, "--set", "population.size=1")
        assert result.exit_code == 2
        assert "use at least 2, or leave the method out" in result.stderr
        assert len(client.experiments()) == before


class TestListAndShow:
    def test_list(self, ask, experiment):
        assert str(experiment.id) in ask("list", "--limit", "3").stdout
        page = json.loads(ask("list", "--search", "pendulum", "--json").stdout)
        assert page[0]["id"] == experiment.id

    def test_list_by_status(self, ask, experiment):
        page = json.loads(ask("list", "--status", "queued", "--json").stdout)
        assert {item["status"] for item in page} == {"queued"}
        assert ask("list", "--status", "dreaming").exit_code == 2

    def test_show(self, ask, experiment):
        result = ask("show", str(experiment.id))
        assert result.exit_code == 0
        assert "queued" in result.stdout and "policy_learning_rate" in result.stdout
        assert json.loads(ask("show", str(experiment.id), "--json").stdout)["id"] == experiment.id

    def test_show_says_why_a_run_failed(self, ask, experiment, worker):
        run_id = experiment.runs[0].id
        worker.report(run_id, worker.claim(run_id), *history(), failed())
        output = ask("show", str(experiment.id)).stdout
        assert "the critic's loss is NaN" in output and "lower the learning rates" in output and "member 1" in output

    @pytest.mark.parametrize("command", ["show", "watch", "stop", "logs", "download"])
    def test_an_unknown_experiment(self, ask, command: str):
        result = ask(command, "999999")
        assert result.exit_code == 2
        assert "999999" in result.stderr


class TestStop:
    def test_queued(self, ask, experiment):
        assert "is stopped" in ask("stop", str(experiment.id)).stdout
        again = ask("stop", str(experiment.id))
        assert again.exit_code == 1, again.stderr


class TestWatch:
    def test_until_it_finishes(self, ask, experiment, worker, later):
        run_id = experiment.runs[0].id
        attempt = worker.claim(run_id)
        later(lambda: worker.report(run_id, attempt, *history(), finished()))
        result = ask("watch", str(experiment.id))
        assert result.exit_code == 0, result.output
        assert "1000/12000 steps · return best -900, median -1050" in result.stderr
        result_line = f"run {run_id} of {SMOKE} finished; final return -950 ± 30 in 50 unseen episodes"
        assert f"{result_line}, best during training -900" in result.stdout
        assert "-950 ± 30" in ask("show", str(experiment.id)).stdout
        assert "-950" in ask("list", "--limit", "1").stdout

    def test_says_which_limit_came_first(self, ask, client, experiment, worker):
        run_id = experiment.runs[0].id
        early = finished().model_copy(update={"reason": "target_return", "step": 2000})
        worker.report(run_id, worker.claim(run_id), *history(), early)
        assert client.run(run_id).end_reason == "target_return"
        output = ask("watch", str(experiment.id)).stdout
        assert f"run {run_id} of {SMOKE} finished: its target return is reached" in output

    def test_a_failed_run_is_exit_code_1(self, ask, experiment, worker):
        run_id = experiment.runs[0].id
        worker.report(run_id, worker.claim(run_id), *history(), failed())
        result = ask("watch", str(experiment.id))
        assert result.exit_code == 1
        assert "the critic's loss is NaN" in result.stderr and "lower the learning rates" in result.stderr

    def test_interrupting_leaves_the_run_alone(self, service, client, experiment):
        command = [sys.executable, "-m", "phylon", "watch", str(experiment.id), "--url", service.url]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as watching:
            try:
                assert watching.stderr
                first = watching.stderr.readline()
                watching.send_signal(signal.SIGINT)
                assert watching.wait(BOUND_SECONDS) == 130
                assert "the experiment goes on" in watching.stderr.read()
            finally:
                watching.kill()  # or a failure would wait for its end
        assert "queued" in first or "dispatched" in first
        assert client.run(experiment.runs[0].id).status in ("queued", "dispatched")


class TestLogs:
    def test_printed_and_followed_to_the_end(self, ask, experiment, worker, later):
        run_id = experiment.runs[0].id
        attempt = worker.claim(run_id)
        lines = [LogLine(line=n, wall=0.0, stream="trainer", text=f"[line] {n}") for n in range(3)]
        worker.report(run_id, attempt, *history(), logs=lines[:2])
        first = ask("logs", str(experiment.id)).stdout.splitlines()
        assert [text[-8:] for text in first] == ["[line] 0", "[line] 1"]
        later(lambda: worker.report(run_id, attempt, finished(), logs=lines[2:]))
        assert "[line] 2" in ask("logs", str(experiment.id), "--follow").stdout

    def test_an_unknown_replicate(self, ask, experiment):
        result = ask("logs", str(experiment.id), "--replicate", "7")
        assert result.exit_code == 2
        assert "use a number below 1" in result.stderr


class TestDownload:
    def test_everything(self, ask, experiment, worker, tmp_path: Path):
        run_id = experiment.runs[0].id
        attempt = worker.claim(run_id)
        worker.report(run_id, attempt, *history(), logs=[LogLine(line=0, wall=0.0, stream="trainer", text="hello")])
        worker.upload(run_id, attempt, "000020.npz", b"weights")
        worker.report(run_id, attempt, finished())
        assert ask("download", str(experiment.id), "--out", str(tmp_path / "all")).exit_code == 0
        folder = tmp_path / "all" / f"run-{run_id}"
        assert (folder / "checkpoints" / "000020.npz").read_bytes() == b"weights"
        assert "hello" in (folder / "log.txt").read_text()
        with (folder / "metrics.csv").open(newline="") as file:
            assert [row["value"] for row in csv.DictReader(file)] == ["-900.0", "-1200.0"]
        assert json.loads((folder / "lineage.json").read_text())["spans"][0]["hyperparams"] == {"discount": 0.95}
        assert (tmp_path / "all" / "spec.yaml").read_text() == experiment.yaml

    def test_without_checkpoints(self, ask, experiment, tmp_path: Path):
        assert ask("download", str(experiment.id), "--out", str(tmp_path), "--no-checkpoints").exit_code == 0
        assert not (tmp_path / f"run-{experiment.runs[0].id}" / "checkpoints").exists()


class TestWorkers:
    @pytest.fixture
    def worker(self, service) -> Iterator[HandPlayedWorker]:
        """One that can run nothing: what other tests left in the queue does not make it busy."""
        played = HandPlayedWorker(service, suites=[])
        yield played
        played.close()

    def test_the_list(self, ask, client, worker):
        [name] = [found.name for found in client.workers() if found.id == worker.id]
        shown = ask("workers").stdout
        assert name in shown and "0/1" in shown
        listed = json.loads(ask("workers", "--json").stdout)
        assert [found["state"] for found in listed if found["id"] == worker.id] == ["idle"]

    def test_operating_by_number_and_by_name(self, ask, client, worker):
        [name] = [found.name for found in client.workers() if found.id == worker.id]
        assert "is draining" in ask("workers", "drain", str(worker.id), "--now").stdout
        assert "is idle" in ask("workers", "undrain", name).stdout
        assert "[a100, night]" in ask("workers", "label", name, "--set", "night,a100").stdout
        refused = ask("workers", "release", name)
        assert (refused.exit_code, "is not quarantined" in refused.stderr) == (1, True)

    def test_why_one_is_quarantined(self, ask, worker):
        worker.report_fault("GPU 0 is occupied.")
        assert "is quarantined: GPU 0 is occupied." in ask("workers").stdout
        assert "is idle" in ask("workers", "release", str(worker.id)).stdout

    def test_an_unknown_worker(self, ask):
        result = ask("workers", "drain", "nobody")
        assert (result.exit_code, "there is no worker nobody" in result.stderr) == (2, True)
