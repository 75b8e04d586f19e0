"""Members divided among processes, each of which trains its own one by one. All processes use the same device.

On a CPU a process has one core and one thread, as a shard of the sharded strategy has, but the groups need not be
equal. On an accelerator the processes take turns. A population lies in shared memory, so only requests and reports go
through pipes; to the rest of the trainer it is a tree of arrays like any other.
"""

import contextlib
import itertools
import multiprocessing
import os
import signal
from collections.abc import Iterator
from multiprocessing import reduction
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, NamedTuple

import jax
import jax.monitoring
import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import Hyperparams, Transition
from phylon.worker.execution.compilation import COMPILATION_EVENTS
from phylon.worker.execution.interface import Device, KeyWords, Population, Report, Strategy, Workload
from phylon.worker.execution.member_process import Group, UpdateDone, UpdateFailed, UpdateRequest, serve
from phylon.worker.execution.shared_memory import Mapped, SharedMemory, read_only

ACCELERATOR_PROCESSES = 4
"""Enough to keep a device busy while one of them is on the host; each costs a device context."""
END_SECONDS = 5.0
"""How long a process that closed its pipe may take to exit."""
INHERITED_SETTINGS = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")

# Nothing is inherited: JAX's threads would not survive a fork.
CONTEXT = multiprocessing.get_context("spawn")


def parallel(work: Workload, device: Device, processes: int | None = None) -> Strategy:
    memory, pool = SharedMemory(), MemberProcesses(divide_members(work, device, processes))

    def update(
        population: Population, hyperparams: Hyperparams, batches: Transition[Any], key: KeyWords, first: int
    ) -> tuple[Population, Report]:
        # Held until the processes have answered; otherwise their memory would be reused.
        inputs = [memory.place(tree) for tree in (population, hyperparams, batches)]
        result = memory.reserve(inputs[0].tree)
        state, numbers, data = (placed.block.number for placed in inputs)
        request = UpdateRequest(state, numbers, data, result.block.number, key, first)
        report = pool.train(request, memory.mapped)
        return read_only(result.tree), report

    def gather(population: Population, parents: NDArray[np.int32]) -> Population:
        return memory.place(jax.tree.map(lambda leaf: np.asarray(leaf)[parents], population)).tree

    def close() -> None:
        pool.close()
        memory.close()

    return Strategy(
        devices=(device,),
        place=lambda tree: memory.place(tree).tree,
        update=update,
        gather=gather,
        detail=f"in {pool.size} processes" if pool.size > 1 else "in a process",
        close=close,
    )


def divide_members(work: Workload, device: Device, processes: int | None) -> list[Group]:
    """Contiguous groups of nearly equal size; on a CPU each group has one core.

    Never more than one: how XLA rounds depends on how many threads share a product, and results should not depend on
    how members are divided.
    """
    cores, is_cpu = sorted(os.sched_getaffinity(0)), device.platform == "cpu"
    size = work.population_size
    count = min(size, processes or (len(cores) if is_cpu else ACCELERATOR_PROCESSES))
    # A CPU program then runs immediately, in the calling thread.
    settings = {name: getattr(jax.config, name) for name in INHERITED_SETTINGS} | {
        "jax_cpu_enable_async_dispatch": False
    }
    borders = itertools.pairwise(size * number // count for number in range(count + 1))
    return [
        Group(
            work.recipe,
            range(start, stop),
            work.first,
            (cores[number % len(cores)],) if is_cpu else tuple(cores),
            settings,
        )
        for number, (start, stop) in enumerate(borders)
    ]


class _Child(NamedTuple):
    """A process as the trainer sees it."""

    members: range
    process: SpawnProcess
    connection: Connection


class MemberProcesses:
    """The processes of one population. After an error only `close` is left."""

    def __init__(self, groups: list[Group]) -> None:
        self._children = [_start(group) for group in groups]
        self._shared_blocks = 0
        """How many blocks of memory the processes have received."""

    @property
    def size(self) -> int:
        return len(self._children)

    def train(self, request: UpdateRequest, mapped: list[Mapped]) -> Report:
        """`mapped`: all memory that the request may refer to."""
        new = mapped[self._shared_blocks :]
        self._shared_blocks += len(new)
        for child in self._children:
            with contextlib.suppress(OSError):  # a dead process is noticed when its answer is awaited
                child.connection.send((request, [block for block, _, _ in new]))
                for _, _, file in new:
                    reduction.send_handle(child.connection, file, child.process.pid)
        answers = {child.members.start: answer for child, answer in self._receive_answers()}
        done = [answers[child.members.start] for child in self._children]
        if compiling := max(answer.compile_seconds for answer in done):
            # Reported as if it had happened here, so that JAX's listeners account for the time.
            jax.monitoring.record_event_duration_secs(f"{COMPILATION_EVENTS}backend_compile_duration", compiling)
        return jax.tree.map(lambda *values: np.concatenate(values), *(answer.report for answer in done))

    def close(self) -> None:
        for child in self._children:
            child.process.kill()  # it holds nothing that is worth waiting for
            child.process.join()
            child.connection.close()

    def _receive_answers(self) -> Iterator[tuple[_Child, UpdateDone]]:
        """In order of arrival, so that a failed process is noticed while others still work."""
        waiting: dict[Any, _Child] = {child.connection: child for child in self._children}
        while waiting:
            for connection in wait(list(waiting)):
                child = waiting.pop(connection)
                try:
                    answer = child.connection.recv()
                except (EOFError, OSError):
                    raise _explain_death(child) from None
                if isinstance(answer, UpdateFailed):
                    raise EngineError(
                        f"the process that trains {_name_members(child.members)} failed: {answer.reason}",
                        "see the traceback in the run's log; set fewer execution.processes if memory ran out",
                    )
                yield child, answer


def _start(group: Group) -> _Child:
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=serve, args=(theirs, group), name=_name_members(group.slots), daemon=True)
    process.start()
    theirs.close()  # so that our end sees it when the process dies
    return _Child(group.slots, process, ours)


def _explain_death(child: _Child) -> EngineError:
    child.process.join(END_SECONDS)
    code, how = child.process.exitcode, "was killed, as the system does when it is out of memory"
    if code != -signal.SIGKILL:
        how = f"ended with exit code {code}"
    return EngineError(
        f"the process that trains {_name_members(child.members)} {how}",
        "start the run again, with fewer execution.processes or another execution.strategy if memory is short",
    )


def _name_members(members: range) -> str:
    return f"member {members.start}" if len(members) == 1 else f"members {members.start} to {members.stop - 1}"
