"""A process of the `parallel` strategy: trains its members one after the other on request.

It reads a population in shared memory and writes the next one beside it. It exits when the pipe closes or the trainer
dies, whatever the cause.
"""

import contextlib
import mmap
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import jax
import numpy as np

from phylon.worker.core.keys import derive
from phylon.worker.core.startup import one_cpu_device
from phylon.worker.core.types import Algorithm, Array, Hyperparams, State
from phylon.worker.execution.compilation import compile_options, watch_compilation
from phylon.worker.execution.interface import Device, KeyWords, Report
from phylon.worker.execution.members import member_updates
from phylon.worker.execution.shared_memory import Block, tree_in


class Group(NamedTuple):
    """What a process is given when it starts."""

    recipe: Callable[[], Algorithm]
    slots: range
    """Its part of the trainer's members."""
    first: int
    """The slot of the trainer's first member, where other processes of a run have others."""
    cores: tuple[int, ...]
    """That it may use."""
    settings: dict[str, Any]
    """JAX's, as in the trainer."""


class UpdateRequest(NamedTuple):
    """Train the members of `population` into `result`. Trees are identified by the numbers of their blocks.

    It is sent with a list of the blocks that are new to the process; their file descriptors follow.
    """

    population: int
    hyperparams: int
    data: int
    result: int
    key: KeyWords
    first: int


class UpdateDone(NamedTuple):
    report: Report
    """[members of the group]"""
    compile_seconds: float


class UpdateFailed(NamedTuple):
    """Sent in place of `UpdateDone`, before the process ends."""

    reason: str


def serve(connection: Connection, group: Group) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the trainer
    threading.Thread(target=_exit_with_the_trainer, daemon=True).start()
    os.sched_setaffinity(0, group.cores)
    one_cpu_device()  # the environment is inherited from the trainer, which may have one device per core
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # several processes share an accelerator's memory
    for name, value in group.settings.items():
        jax.config.update(name, value)
    try:
        _serve_requests(connection, group)
    except (EOFError, ConnectionError):
        pass  # the trainer closed the pipe
    except Exception as error:  # the trainer reports it to the user
        traceback.print_exc()
        with contextlib.suppress(ConnectionError):
            connection.send(UpdateFailed(f"{type(error).__name__}: {error}"))


def _exit_with_the_trainer() -> None:
    """Immediately: an update whose result nobody needs may take long."""
    trainer = multiprocessing.parent_process()
    assert trainer is not None
    trainer.join()
    os._exit(0)


def _serve_requests(connection: Connection, group: Group) -> None:
    program = parallel_program(group.recipe(), jax.local_devices()[0], group.first)
    trees: dict[int, Any] = {}
    compiling: list[float] = []
    with watch_compilation(lambda event, seconds: compiling.append(seconds)):
        while True:
            request, new = _receive(connection)
            for block in new:
                trees[block.number] = _map_tree(connection, block)
            inputs = trees[request.population], trees[request.hyperparams], trees[request.data]
            trained: list[tuple[State, Report]] = []
            for slot in group.slots:
                own = jax.tree.map(lambda leaf, slot=slot: leaf[slot, ...], inputs)
                trained.append(program(*own, request.key, np.uint32(request.first), np.uint32(slot)))
            for slot, (state, _) in zip(group.slots, trained, strict=True):
                result = jax.tree.map(lambda leaf, slot=slot: leaf[slot, ...], trees[request.result])
                jax.tree.map(np.copyto, result, jax.device_get(state))
            reports = jax.device_get([report for _, report in trained])
            connection.send(UpdateDone(jax.tree.map(lambda *values: np.stack(values), *reports), sum(compiling)))
            compiling.clear()


def parallel_program(algorithm: Algorithm, device: Device, offset: int = 0) -> Any:
    """One member's updates, of arrays of its own; `offset`: the slot of the trainer's first member."""
    member = member_updates(algorithm)

    def run(
        state: State, hyperparams: Hyperparams, data: Any, key: Array, first: Array, slot: Array
    ) -> tuple[State, Report]:
        own_key = derive(jax.random.wrap_key_data(key), "update", offset + slot)
        return member(state, hyperparams, data, own_key, first)

    return jax.jit(run, compiler_options=compile_options(device))


def _receive(connection: Connection) -> tuple[UpdateRequest, list[Block]]:
    return connection.recv()


def _map_tree(connection: Connection, block: Block) -> Any:
    file = reduction.recv_handle(connection)
    try:
        return tree_in(mmap.mmap(file, block.bytes), block)
    finally:
        os.close(file)
