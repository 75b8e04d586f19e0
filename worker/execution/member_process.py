"""A process of the `parallel` strategy: trains its members one after the other whenever it is told to.

It reads a population in shared memory and writes the next one beside it. It ends with the pipe, and when the trainer is
gone, however that came about.
"""

import contextlib
import mmap
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import jax
import numpy as np

from phylon.worker.core.keys import derive
from phylon.worker.core.startup import one_cpu_device
from phylon.worker.core.types import Algorithm, Array, Hyperparams, State
from phylon.worker.execution.compilation import COMPILATION, one_thread
from phylon.worker.execution.interface import KeyWords, Report
from phylon.worker.execution.members import member_updates
from phylon.worker.execution.shared_memory import Block, tree_in


class Group(NamedTuple):
    """What a process needs to know when it starts."""

    recipe: Callable[[], Algorithm]
    slots: range
    cores: tuple[int, ...]
    """Those that it may use."""
    settings: dict[str, Any]
    """Of JAX, as the trainer has them."""


class Order(NamedTuple):
    """Train the members of `population` into `result`. Trees are named by the numbers of their blocks.

    With it come the blocks that were not spoken of before; their descriptors follow.
    """

    population: int
    hyperparams: int
    data: int
    result: int
    key: KeyWords
    first: int


class Done(NamedTuple):
    report: Report
    """[members of the group]"""
    compile_seconds: float


class Trouble(NamedTuple):
    """What the process says instead of an answer, before it ends."""

    reason: str


def serve(connection: Connection, group: Group) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the trainer
    threading.Thread(target=_end_with_the_trainer, daemon=True).start()
    os.sched_setaffinity(0, group.cores)
    one_cpu_device()  # the trainer, from which the environment comes, may have one for each core
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # several processes share an accelerator's memory
    for name, value in group.settings.items():
        jax.config.update(name, value)
    try:
        _obey(connection, group)
    except (EOFError, ConnectionError):
        pass  # nobody has any more orders
    except Exception as error:  # the trainer tells it to the user
        traceback.print_exc()
        with contextlib.suppress(ConnectionError):
            connection.send(Trouble(f"{type(error).__name__}: {error}"))


def _end_with_the_trainer() -> None:
    """At once: an update that nobody waits for may take long."""
    trainer = multiprocessing.parent_process()
    assert trainer is not None
    trainer.join()
    os._exit(0)


def _obey(connection: Connection, group: Group) -> None:
    member = member_updates(group.recipe())

    def run(
        state: State, hyperparams: Hyperparams, data: Any, key: Array, first: Array, slot: Array
    ) -> tuple[State, Report]:
        return member(state, hyperparams, data, derive(jax.random.wrap_key_data(key), "update", slot), first)

    program = jax.jit(run, compiler_options=one_thread(jax.local_devices()[0]))
    trees: dict[int, Any] = {}
    with _compilation_timed() as compiling:
        while True:
            order, new = _next(connection)
            for block in new:
                trees[block.number] = _mapped(connection, block)
            inputs = trees[order.population], trees[order.hyperparams], trees[order.data]
            trained: list[tuple[State, Report]] = []
            for slot in group.slots:
                own = jax.tree.map(lambda leaf, slot=slot: leaf[slot, ...], inputs)
                trained.append(program(*own, order.key, np.uint32(order.first), np.uint32(slot)))
            for slot, (state, _) in zip(group.slots, trained, strict=True):
                result = jax.tree.map(lambda leaf, slot=slot: leaf[slot, ...], trees[order.result])
                jax.tree.map(np.copyto, result, jax.device_get(state))
            reports = jax.device_get([report for _, report in trained])
            connection.send(Done(jax.tree.map(lambda *values: np.stack(values), *reports), sum(compiling)))
            compiling.clear()


def _next(connection: Connection) -> tuple[Order, list[Block]]:
    return connection.recv()


def _mapped(connection: Connection, block: Block) -> Any:
    file = reduction.recv_handle(connection)
    try:
        return tree_in(mmap.mmap(file, block.bytes), block)
    finally:
        os.close(file)


@contextlib.contextmanager
def _compilation_timed() -> Iterator[list[float]]:
    seconds: list[float] = []

    def record(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event.startswith(COMPILATION):
            seconds.append(duration_secs)

    jax.monitoring.register_event_duration_secs_listener(record)
    try:
        yield seconds
    finally:
        jax.monitoring.unregister_event_duration_listener(record)
