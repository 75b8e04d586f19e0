"""Gymnasium environments spread over processes: each steps a chunk of them and leaves the results in shared memory.

The numbers are those of `InlineEnvironments`: an environment depends on its own seed and actions alone.
"""

import itertools
import multiprocessing
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.policy.parts import Part
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.gymnasium_inline import Chunk, Environment, empty_result
from phylon.worker.environments.host import Actions, Observations, StepResult

END_SECONDS = 5.0
"""How long a process has for closing its environments."""

# Nothing is inherited: JAX's threads would not survive a fork.
CONTEXT = multiprocessing.get_context("spawn")


class SharedArray(NamedTuple):
    """Anonymous memory: it goes with the last process that holds it, however that one ends."""

    memory: Any
    shape: tuple[int, ...]
    dtype: str

    def view(self) -> NDArray[Any]:
        return np.frombuffer(self.memory, self.dtype).reshape(self.shape)


class Shared(NamedTuple):
    """Rows of all environments."""

    actions: SharedArray
    result: tuple[SharedArray, ...]
    """The fields of `StepResult`."""


class Rows(NamedTuple):
    """What a process needs to know: how to open its environments, and which rows are theirs."""

    open: Callable[[EnvironmentSpec], Environment]
    environment: EnvironmentSpec
    parts: tuple[Part, ...]
    """Of composite observations."""
    start: int
    stop: int


class ProcessEnvironments:
    def __init__(
        self,
        open: Callable[[EnvironmentSpec], Environment],
        environment: EnvironmentSpec,
        info: EnvironmentInfo,
        count: int,
        processes: int,
    ) -> None:
        self.info = info
        self.count = count
        self._id = environment.id
        action = np.empty((count, *info.action_shape), info.action_dtype)
        shared = Shared(_share(action), tuple(map(_share, empty_result(info, count))))
        self._actions = shared.actions.view()
        self._result = StepResult._make(array.view() for array in shared.result)
        self._workers: list[tuple[SpawnProcess, Connection]] = []
        borders = [count * number // processes for number in range(processes + 1)]
        for start, stop in itertools.pairwise(borders):
            ours, theirs = CONTEXT.Pipe()
            rows = Rows(open, environment, info.observation_parts, start, stop)
            process = CONTEXT.Process(target=_serve, args=(rows, shared, theirs), daemon=True)
            process.start()
            theirs.close()  # so that our end sees it when the process dies
            self._workers.append((process, ours))

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        self._do_in_all(np.asarray(seeds))
        return self._result.obs.copy()

    def step(self, actions: Actions) -> StepResult:
        self._actions[...] = actions
        self._do_in_all(None)
        return StepResult._make(array.copy() for array in self._result)

    def close(self) -> None:
        for _, connection in self._workers:
            connection.close()
        for process, _ in self._workers:
            process.join(END_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()

    def _do_in_all(self, command: NDArray[np.integer] | None) -> None:
        """Seeds to reset with, or None for a step."""
        for process, connection in self._workers:
            try:
                connection.send(command)
            except OSError:
                raise self._death(process) from None
        failures: list[str | None] = []
        for process, connection in self._workers:  # all answers are taken in, or one would answer the next command
            try:
                failures.append(connection.recv())
            except (EOFError, OSError):
                raise self._death(process) from None
        for failure in filter(None, failures):
            raise RuntimeError(f"an environment process of '{self._id}' failed:\n{failure}")

    def _death(self, process: SpawnProcess) -> RuntimeError:
        process.join(END_SECONDS)
        return RuntimeError(f"an environment process of '{self._id}' died with exit code {process.exitcode}")


def _share(array: NDArray[Any]) -> SharedArray:
    return SharedArray(CONTEXT.RawArray("b", array.nbytes), array.shape, str(array.dtype))


def _serve(rows: Rows, shared: Shared, connection: Connection) -> None:
    """The life of a process: answers each command, and ends with the pipe, thus also when the trainer is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the trainer
    mine = slice(rows.start, rows.stop)
    actions, result = shared.actions.view()[mine], StepResult._make(array.view()[mine] for array in shared.result)
    chunk: Chunk | None = None
    try:
        while True:
            command = connection.recv()
            try:
                if chunk is None:
                    opened = [rows.open(rows.environment) for _ in range(rows.start, rows.stop)]
                    chunk = Chunk(opened, rows.parts)
                if command is None:
                    chunk.step(actions, result)
                else:
                    chunk.reset(command[mine], result.obs)
                connection.send(None)
            except Exception:
                connection.send(traceback.format_exc())
    except (EOFError, OSError):
        pass
    finally:
        if chunk is not None:
            chunk.close()
