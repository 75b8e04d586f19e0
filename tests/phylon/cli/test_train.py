"""`phylon train` with the real trainer: to the end, stopped and resumed, failing, crashing, abandoned."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from phylon.cli import extras
from phylon.cli.exits import WorkFailed
from phylon.export.metrics import series_of_events
from phylon.imports import tensorboard
from phylon.returns import RETURN
from phylon.spool import SPOOL_FILE, SpoolReader

pytestmark = pytest.mark.timeout(300)
SPEC = """
version: 1
name: tiny
kind: training
seed: 3
environment: {suite: gymnasium, id: Pendulum-v1}
algorithm:
  name: td3
  batch_size: 16
  network: {hidden: [8]}
  discount: {uniform: [0.9, 0.99]}
population: {size: 4, method: {name: pbt, interval: 200}}
replay: {capacity: 2000, warmup: 100}
budget: {env_steps: 400}
evaluation: {interval: 200, episodes: 1}
metrics: {interval: 100}
checkpoint: {interval: 200}
execution: {strategy: vectorized}
"""
ENDLESS = ("--set", "budget.env_steps=1000000")
BOUND_SECONDS = 120.0
"""Only ends a test that hangs."""


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("spec") / "tiny.yaml"
    file.write_text(SPEC)
    return file


@pytest.fixture(scope="module")
def environment(compile_cache: Path) -> dict[str, str]:
    """Without what the engine's own tests set in this process."""
    own = {name: value for name, value in os.environ.items() if name not in ("XLA_FLAGS", "JAX_PLATFORMS")}
    return own | {"PHYLON_COMPILE_CACHE": str(compile_cache)}


@pytest.fixture
def train(spec: Path, environment: dict[str, str]) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "phylon", "train", str(spec), "--out", str(folder), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=BOUND_SECONDS)

    return run


@pytest.fixture
def start(spec: Path, environment: dict[str, str]) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Begins training and returns once the first evaluation is reported."""
    running: list[subprocess.Popen[str]] = []

    def run(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "phylon", "train", str(spec), "--out", str(folder), *arguments]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stderr
        lines = [process.stderr.readline()]
        while lines[-1] and "return best" not in lines[-1]:
            lines.append(process.stderr.readline())
        assert lines[-1], "".join(lines)
        return process

    yield run
    for process in running:
        process.kill()
        process.communicate(timeout=BOUND_SECONDS)


def trainer_of(process: "subprocess.Popen[str]") -> psutil.Process:
    (trainer,) = psutil.Process(process.pid).children()
    return trainer


def test_stopped_resumed_and_finished(train, start, tmp_path: Path):
    folder = tmp_path / "run"
    process = start(folder, *ENDLESS, "--log", "tensorboard")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=BOUND_SECONDS)
    assert process.returncode == 130, errors
    assert "stopping at the next segment" in errors
    assert "tiny stopped at step" in output

    process = start(folder, *ENDLESS, "--log", "tensorboard")
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=BOUND_SECONDS)
    assert process.returncode == 130, errors
    recorded = {str(file.relative_to(folder)): file.read_bytes() for file in folder.glob("tensorboard/*/*")}
    [record] = tensorboard.read(recorded, None).runs
    reported = dict(series_of_events(SpoolReader(folder / SPOOL_FILE).read()))[RETURN]
    np.testing.assert_array_equal(record.series[RETURN].steps, reported.steps)
    np.testing.assert_array_equal(record.series[RETURN].values, reported.values.astype(np.float32))

    refused = train(folder)
    assert refused.returncode == 2
    assert "already holds another run: budget.env_steps is 1000000 there and 400 here" in refused.stderr


def test_to_the_end(train, tmp_path: Path):
    folder = tmp_path / "run"
    filmed = ("--set", "videos={interval: 400, steps: 20}")
    result = train(folder, *filmed)
    assert result.returncode == 0, result.stderr
    assert "tiny 400/400 steps · return best -" in result.stderr
    assert "tiny finished at step 400 of 400" in result.stdout
    for words in (
        "best member",
        "final return",
        "selection bias",
        "best during training",
        "discount",
        str(folder),
        "metrics.csv",
        "checkpoints/, videos/",
    ):
        assert words in result.stdout
    with (folder / "metrics.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["name"] == "evaluation/return"]
    assert [(row["step"], row["member"]) for row in rows if row["step"] == "400"] == [("400", str(m)) for m in range(4)]
    lineage = json.loads((folder / "lineage.json").read_text())
    assert [span["operator"] for span in lineage["spans"][:4]] == ["founder"] * 4
    assert len(lineage["spans"]) == 5 and lineage["spans"][4]["start_step"] == 200

    best = max((row for row in rows if row["step"] == "400"), key=lambda row: float(row["value"]))["member"]
    assert [video.name for video in (folder / "videos").iterdir()] == [f"step-000000400-member-{best}.mp4"]

    again = train(folder, *filmed)
    assert again.returncode == 0
    assert "already holds this run, finished" in again.stderr
    assert again.stdout == result.stdout


def test_a_target_that_is_reached(train, tmp_path: Path):
    result = train(tmp_path / "run", "--set", "budget.target_return=-1e6")
    assert result.returncode == 0, result.stderr
    assert "of 400: its target return is reached" in result.stdout


def test_a_loss_that_is_no_number(train, tmp_path: Path):
    result = train(tmp_path / "run", "--set", "algorithm.critic_learning_rate=1.0e+30")
    assert result.returncode == 1, result.stdout
    assert "the run failed at step" in result.stderr and "member" in result.stderr
    assert "critic_learning_rate = 1e+30" in result.stderr
    assert "→" in result.stderr


def test_a_trainer_that_is_killed(start, train, tmp_path: Path):
    process = start(tmp_path / "run", *ENDLESS)
    trainer_of(process).kill()
    _, errors = process.communicate(timeout=BOUND_SECONDS)
    assert process.returncode == 1
    assert "the trainer died with exit code -9" in errors
    assert "run the same command again to resume" in errors


def test_no_trainer_outlives_its_command(start, tmp_path: Path):
    process = start(tmp_path / "run", *ENDLESS)
    trainer = trainer_of(process)
    process.kill()
    process.wait(BOUND_SECONDS)
    deadline = time.monotonic() + BOUND_SECONDS
    while trainer.is_running() and trainer.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the trainer lives on"
        time.sleep(0.1)


def test_bad_input_leaves_no_trace(train, tmp_path: Path):
    result = train(tmp_path / "run", "--set", "algorithm.discont=0.9")
    assert result.returncode == 2
    assert "did you mean 'discount'?" in result.stderr
    assert not (tmp_path / "run").exists()


def test_out_is_a_file(train, tmp_path: Path):
    (tmp_path / "file").write_text("")
    result = train(tmp_path / "file")
    assert result.returncode == 2
    assert "is a file; choose another directory with --out" in result.stderr


@pytest.mark.parametrize(("require", "extra"), [(extras.require_worker, "worker"), (extras.require_server, "server")])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, require: Callable[[], None], extra: str):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(WorkFailed, match=rf"pip install 'phylon\[{extra}\]'"):
        require()
