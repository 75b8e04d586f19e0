"""Real training of small populations: in this process, or as the process that a launcher starts."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from phylon.contract.events import RunEvent
from phylon.run_directory import RunRequest, write_run
from phylon.spec import ExperimentSpec, parse_spec
from phylon.spec.experiment import ExecutionSpec
from phylon.worker.core.commands import Commands
from phylon.worker.core.types import JointAlgorithm
from phylon.worker.execution import DEFAULTS, Execution, StrategyName, Workload, auto
from phylon.worker.training import assembly
from phylon.worker.training.session import train
from tests.worker.programs import PROVEN, TRACED

from .runs import events_of

ROOT = Path(__file__).parents[3]
STARTING_SECONDS = 120
"""Far more than a trainer needs to compile; only a hang takes as long."""


@pytest.fixture
def small_spec() -> dict[str, Any]:
    """Four members, evolved every 100 steps: seconds of work that touch everything."""
    return {
        "version": 1,
        "name": "small",
        "kind": "training",
        "environment": {"suite": "gymnasium", "id": "Pendulum-v1"},
        "algorithm": {
            "name": "td3",
            "batch_size": 16,
            "network": {"hidden": [16, 16]},
            "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]},
            "discount": {"uniform": [0.9, 0.99]},
        },
        "population": {"size": 4, "method": {"name": "pbt", "interval": 100}},
        "replay": {"capacity": 1000, "ratio": 1.0, "warmup": 40},
        "budget": {"env_steps": 400},
        "evaluation": {"interval": 100, "episodes": 2, "final": 2},
        "metrics": {"interval": 60},
        "checkpoint": {"interval": 100},
        "execution": {"strategy": "sharded", "segment_steps": 20},
    }


class NoCommands(Commands):
    """A launcher that lets the run go on to its end."""

    def __init__(self) -> None:
        self.wanted = None


@pytest.fixture
def trace_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """What has been trained once is not traced again: most of a small run is tracing. A test that changes the code by
    `monkeypatch` neither uses what others have traced nor leaves them anything. What a new process makes of a run that
    another one began is tested with real processes (`launch`)."""
    shared = "monkeypatch" not in request.fixturenames
    executions, proven = (TRACED, PROVEN) if shared else ({}, set[str]())
    build, check = assembly.build_execution, assembly.check_reads

    def build_once(name: StrategyName, work: Workload, settings: ExecutionSpec = DEFAULTS) -> Execution:
        if name == "parallel":  # whose processes end with the run
            return build(name, work, settings)
        key = f"{name} {settings} {work}"
        if key not in executions:
            executions[key] = build(name, work, settings)
        return executions[key]

    def check_once(spec: ExperimentSpec, work: Workload, joint: JointAlgorithm | None) -> None:
        if str(spec) not in proven:
            check(spec, work, joint)
            proven.add(str(spec))

    with pytest.MonkeyPatch.context() as patch:
        for module in (assembly, auto):
            patch.setattr(module, "build_execution", build_once)
        patch.setattr(assembly, "check_reads", check_once)
        yield


@pytest.fixture
def train_here(tmp_path: Path, trace_once: None) -> Callable[..., list[RunEvent]]:
    """Train in this process, in a directory of its own or a given one; gives all events."""

    def run(spec: dict[str, Any], directory: str = "run", seed: int = 0, commands: Commands | None = None):
        run_dir = tmp_path / directory
        write_run(run_dir, RunRequest(run_id=None, seed=seed, spec=spec))
        train(run_dir, parse_spec(spec), seed, commands or NoCommands(), tmp_path / "strategies")
        return events_of(run_dir)

    return run


class Launched:
    """A trainer process with its standard input held open, as a launcher holds it."""

    def __init__(self, run_dir: Path, compile_cache: Path) -> None:
        self.run_dir = run_dir
        environment = {**os.environ, "PHYLON_COMPILE_CACHE": str(compile_cache), "JAX_PLATFORMS": "cpu"}
        environment.pop("XLA_FLAGS", None)  # the trainer sets its own
        self.process = subprocess.Popen(
            [sys.executable, "-m", "phylon.worker.training", str(run_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env=environment,
            text=True,
            start_new_session=True,
        )

    def say(self, command: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()

    def wait_for(self, condition: Callable[[list[RunEvent]], bool]) -> list[RunEvent]:
        deadline = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < deadline:
            if condition(events := events_of(self.run_dir)):
                return events
            assert self.process.poll() is None, f"the trainer ended too early: {self.end()}"
            time.sleep(0.005)
        raise AssertionError(f"nothing of the kind within {STARTING_SECONDS} s; last: {events_of(self.run_dir)[-1:]}")

    def end(self) -> tuple[int, str]:
        """Wait for the exit code and what was printed. Unlike `communicate` it leaves standard input open."""
        assert self.process.stdout
        output = self.process.stdout.read()
        return self.process.wait(STARTING_SECONDS), output

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream
            stream.close()


@pytest.fixture
def launch(tmp_path: Path, compile_cache: Path):
    """Start a trainer; a second start in the same directory takes the run up."""
    launched: list[Launched] = []

    def start(spec: dict[str, Any], directory: str = "run", seed: int = 0) -> Launched:
        run_dir = tmp_path / directory
        write_run(run_dir, RunRequest(run_id=7, seed=seed, spec=spec))
        launched.append(Launched(run_dir, compile_cache))
        return launched[-1]

    yield start
    for trainer in launched:
        trainer.close()
