"""Gangs of real processes on the loopback interface."""

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phylon.checkpoint_arrays import CheckpointArrays
from phylon.launch import Launch
from phylon.run_directory import RunRequest, checkpoint_paths, latest_checkpoint, write_run
from phylon.spec import parse_spec
from phylon.worker.training.session import train

from .driver import NoCommands

ROOT = Path(__file__).parents[3]
SECONDS = 1200
"""Far more than a small gang needs; only a hang takes as long."""


class Ranks:
    """The processes of a gang, each with its log."""

    def __init__(self, count: int, command: list[str], folder: Path, variables: Mapping[str, str]) -> None:
        name = uuid.uuid4().hex
        self.logs = [folder / f"{name}-{rank}.log" for rank in range(count)]
        self.processes: list[subprocess.Popen[bytes]] = []
        for rank, log in enumerate(self.logs):
            with log.open("w") as output:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd=ROOT,
                    env={**os.environ, **variables, **Launch(rank, count, name).variables()},
                    start_new_session=True,
                )
            self.processes.append(process)

    def end(self) -> list[int]:
        return [process.wait(SECONDS) for process in self.processes]

    def said(self) -> str:
        return "\n".join(f"--- {log.name}\n{log.read_text()}" for log in self.logs)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
            assert process.stdin
            process.stdin.close()


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory, compile_cache: Path) -> Iterator[Callable[..., Ranks]]:
    started: list[Ranks] = []
    folder = tmp_path_factory.mktemp("ranks")
    # The flags of this process stay: what is compared is to be compiled alike.
    variables = {
        "PHYLON_COMPILE_CACHE": str(compile_cache),
        "JAX_COMPILATION_CACHE_DIR": str(compile_cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.1",
    }

    def start_ranks(count: int, module: str, *arguments: object, **more: str) -> Ranks:
        command = [sys.executable, "-m", module, *map(str, arguments)]
        started.append(Ranks(count, command, folder, variables | more))
        return started[-1]

    yield start_ranks
    for ranks in started:
        ranks.close()


def begin(run_dir: Path, spec: dict[str, Any]) -> Path:
    write_run(run_dir, RunRequest(run_id=None, seed=0, spec=spec))
    return run_dir


def train_alone(run_dir: Path) -> None:
    """In this process."""
    from phylon.run_directory import read_run

    request = read_run(run_dir)
    assert train(run_dir, parse_spec(request.spec), request.seed, NoCommands(), run_dir / "strategies") == "finished"


def arrays_of(run_dir: Path) -> dict[str, np.ndarray]:
    """Of the last checkpoint, but the clocks."""
    record = latest_checkpoint(run_dir)
    assert record
    with CheckpointArrays(checkpoint_paths(run_dir, record)) as arrays:
        return {name: arrays[name] for name in arrays.files if name not in ("wall", "seconds")}
