"""Members shared out over processes, each of which trains its own one by one. All of them use the same device.

On a CPU a process has a core and works on one thread, as a shard of the sharded strategy does, but the groups need not
be equal. On an accelerator the processes take turns. A population lies in shared memory, so nothing but orders and
reports goes through pipes; to the rest of the trainer it is a tree of arrays like any other.
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
from phylon.worker.execution.compilation import COMPILATION
from phylon.worker.execution.interface import Device, KeyWords, Population, Report, Strategy, Workload
from phylon.worker.execution.member_process import Done, Group, Order, Trouble, serve
from phylon.worker.execution.shared_memory import Mapped, SharedMemory, read_only

ACCELERATOR_PROCESSES = 4
"""Enough to keep a device busy while one of them is on the host; each costs a device context."""
END_SECONDS = 5.0
"""How long a process that let go of its pipe may take until it has ended."""
INHERITED_SETTINGS = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")

# Nothing is inherited: JAX's threads would not survive a fork.
CONTEXT = multiprocessing.get_context("spawn")


def parallel(work: Workload, processes: int | None = None) -> Strategy:
    device = jax.local_devices()[0]
    memory, crew = SharedMemory(), Crew(groups(work, device, processes))

    def update(
        population: Population, hyperparams: Hyperparams, batches: Transition[Any], key: KeyWords, first: int
    ) -> tuple[Population, Report]:
        # Held until the processes have answered, or their memory would be used again.
        now, numbers, data = memory.place(population), memory.place(hyperparams), memory.place(batches)
        result = memory.reserve(now.tree)
        order = Order(*(now.block.number, numbers.block.number, data.block.number, result.block.number), key, first)
        report = crew.train(order, memory.mapped)
        return read_only(result.tree), report

    def gather(population: Population, parents: NDArray[np.int32]) -> Population:
        return memory.place(jax.tree.map(lambda leaf: np.asarray(leaf)[parents], population)).tree

    def close() -> None:
        crew.close()
        memory.close()

    return Strategy(
        devices=(device,),
        place=lambda tree: memory.place(tree).tree,
        update=update,
        gather=gather,
        detail=f"in {crew.size} processes" if crew.size > 1 else "in a process",
        close=close,
    )


def groups(work: Workload, device: Device, processes: int | None) -> list[Group]:
    """Neighbouring members together, as many in each group as can be; on a CPU each group has a core.

    Never more than one: how XLA rounds depends on how many threads share a product, and numbers should not depend on
    how members are shared out.
    """
    cores, is_cpu = sorted(os.sched_getaffinity(0)), device.platform == "cpu"
    size = work.population_size
    count = min(size, processes or (len(cores) if is_cpu else ACCELERATOR_PROCESSES))
    # A CPU program then runs at once, in the thread that asks for it.
    settings = {name: getattr(jax.config, name) for name in INHERITED_SETTINGS} | {
        "jax_cpu_enable_async_dispatch": False
    }
    borders = itertools.pairwise(size * number // count for number in range(count + 1))
    return [
        Group(
            work.recipe,
            range(start, stop),
            (cores[number % len(cores)],) if is_cpu else tuple(cores),
            settings,
        )
        for number, (start, stop) in enumerate(borders)
    ]


class _Hand(NamedTuple):
    """A process as the trainer sees it."""

    members: range
    process: SpawnProcess
    connection: Connection


class Crew:
    """The processes of one population. After an error only `close` is left."""

    def __init__(self, groups: list[Group]) -> None:
        self._hands = [_start(group) for group in groups]
        self._told = 0
        """How many blocks of memory the processes have heard of."""

    @property
    def size(self) -> int:
        return len(self._hands)

    def train(self, order: Order, mapped: list[Mapped]) -> Report:
        """Have the order carried out; `mapped`: all memory that it may speak of."""
        new = mapped[self._told :]
        self._told += len(new)
        for hand in self._hands:
            with contextlib.suppress(OSError):  # one that is gone is noticed when it should answer
                hand.connection.send((order, [block for block, _, _ in new]))
                for _, _, file in new:
                    reduction.send_handle(hand.connection, file, hand.process.pid)
        answers = {hand.members.start: answer for hand, answer in self._answers()}
        done = [answers[hand.members.start] for hand in self._hands]
        if compiling := max(answer.compile_seconds for answer in done):
            # Told on as if it had happened here, so that whoever listens to JAX knows where the time went.
            jax.monitoring.record_event_duration_secs(f"{COMPILATION}backend_compile_duration", compiling)
        return jax.tree.map(lambda *values: np.concatenate(values), *(answer.report for answer in done))

    def close(self) -> None:
        for hand in self._hands:
            hand.process.kill()  # it holds nothing that is worth waiting for
            hand.process.join()
            hand.connection.close()

    def _answers(self) -> Iterator[tuple[_Hand, Done]]:
        """In the order in which they come, so that a process that failed is not waited for behind one that works."""
        waiting: dict[Any, _Hand] = {hand.connection: hand for hand in self._hands}
        while waiting:
            for connection in wait(list(waiting)):
                hand = waiting.pop(connection)
                try:
                    answer = hand.connection.recv()
                except (EOFError, OSError):
                    raise _death(hand) from None
                if isinstance(answer, Trouble):
                    raise EngineError(
                        f"the process that trains {_words(hand.members)} failed: {answer.reason}",
                        "the run's log has the traceback; use fewer execution.processes if it is about memory",
                    )
                yield hand, answer


def _start(group: Group) -> _Hand:
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=serve, args=(theirs, group), name=_words(group.slots), daemon=True)
    process.start()
    theirs.close()  # so that our end sees it when the process dies
    return _Hand(group.slots, process, ours)


def _death(hand: _Hand) -> EngineError:
    hand.process.join(END_SECONDS)
    code, how = hand.process.exitcode, "was killed, as the system does when it is out of memory"
    if code != -signal.SIGKILL:
        how = f"ended with exit code {code}"
    return EngineError(
        f"the process that trains {_words(hand.members)} {how}",
        "start the run again, with fewer execution.processes or another execution.strategy if memory is short",
    )


def _words(members: range) -> str:
    return f"member {members.start}" if len(members) == 1 else f"members {members.start} to {members.stop - 1}"
