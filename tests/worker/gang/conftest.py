"""Gangs of real processes on the loopback interface."""

import os
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from phylon.checkpoint_arrays import CheckpointArrays
from phylon.launch import Launch
from phylon.run_directory import RunRequest, checkpoint_paths, latest_checkpoint, write_run
from phylon.spec import parse_spec
from phylon.worker.training.session import train

from . import nursery
from .driver import NoCommands
from .nursery import Trainer

SECONDS = 1200
"""Far more than a small gang needs; only a hang takes as long."""
StartTrainer = Callable[[Path, Mapping[str, str], list[str]], Trainer]


class Ranks:
    """The processes of a gang, each with its log."""

    def __init__(
        self, start: StartTrainer, folder: Path, command: list[str], launches: Mapping[Launch, Mapping[str, str]]
    ) -> None:
        """`launches`, each with more variables."""
        self.logs = [folder / f"{launch.name}-{launch.rank}.log" for launch in launches]
        self.processes = [
            start(log, {**more, **launch.variables()}, command)
            for log, (launch, more) in zip(self.logs, launches.items(), strict=True)
        ]

    def end(self) -> list[int]:
        return [process.wait(SECONDS) for process in self.processes]

    def said(self) -> str:
        return "\n".join(f"--- {log.name}\n{log.read_text()}" for log in self.logs)

    def close(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGKILL)
            process.wait(SECONDS)
            process.close()


@pytest.fixture(scope="session")
def variables(compile_cache: Path) -> dict[str, str]:
    """Of all processes of gangs. The flags of this process stay: what is compared is to be compiled alike."""
    return {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "1",
        "PHYLON_COMPILE_CACHE": str(compile_cache),
        "JAX_COMPILATION_CACHE_DIR": str(compile_cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.1",
    }


@pytest.fixture(scope="session")
def start_trainer(variables: dict[str, str]) -> Iterator[StartTrainer]:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there:
        command = [sys.executable, "-m", nursery.__name__, str(there.fileno())]
        nurse = subprocess.Popen(command, cwd=nursery.ROOT, env=variables, pass_fds=[there.fileno()])
        there.close()
        yield lambda log, more, command: Trainer(here, log, {**variables, **more}, command)
    assert nurse.wait(SECONDS) == 0


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory, start_trainer: StartTrainer) -> Iterator[Callable[..., Ranks]]:
    """(how many, module, arguments; which of the ranks, unless all; variables of single ranks; variables of all)"""
    started: list[Ranks] = []
    folder = tmp_path_factory.mktemp("ranks")

    def start_ranks(
        count: int,
        module: str,
        *arguments: object,
        ranks: Iterable[int] | None = None,
        only: Mapping[int, Mapping[str, str]] = MappingProxyType({}),
        **more: str,
    ) -> Ranks:
        name = uuid.uuid4().hex
        launches = {Launch(rank, count, name): {**more, **only.get(rank, {})} for rank in ranks or range(count)}
        started.append(Ranks(start_trainer, folder, [module, *map(str, arguments)], launches))
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


@pytest.fixture(scope="session")
def base_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`BASE`, trained in this process."""
    from .test_equal import BASE

    run_dir = begin(tmp_path_factory.mktemp("base") / "run", BASE)
    train_alone(run_dir)
    return run_dir


def arrays_of(run_dir: Path) -> dict[str, np.ndarray]:
    """Of the last checkpoint, but the clocks."""
    record = latest_checkpoint(run_dir)
    assert record
    with CheckpointArrays(checkpoint_paths(run_dir, record)) as arrays:
        return {name: arrays[name] for name in arrays.files if name not in ("wall", "seconds")}
