"""Joins the processes of a launch: `jax.distributed`, then a check that all are about to do the same.

JAX ends a process without a word when the others do not come, or go; so what can be said is said before. A process that
fails leaves by `os._exit`: Python's own way out waits for the others, who wait for this one.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import Any, TypeVar, cast

import jax
from jax._src import distributed

from phylon.launch import Launch
from phylon.spec.experiment import ExchangeName
from phylon.worker.core.commands import CRASHED, FAILED
from phylon.worker.core.errors import EngineError
from phylon.worker.gang.gang import Gang, collect
from phylon.worker.gang.meeting import PATIENCE, Meeting, patience
from phylon.worker.gang.mpi import exchange_by_mpi, is_under_mpi
from phylon.worker.gang.transport import exchange_collectively, exchange_in_pairs, share_among

Call = TypeVar("Call", bound=Callable[..., Any])

HEARTBEAT_SECONDS = 30
"""A process that is not heard of for so long is given up, and the others end."""
LEAVING_SECONDS = 30
FAILING_SECONDS = 5
"""Where all fail alike, the others are here so soon; where one fails alone, they wait for it until it ends."""


class Waiting:
    """Counts the seconds that calls take."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def timed(self, call: Call) -> Call:
        def run(*arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(*arguments)
            finally:
                self._seconds += time.perf_counter() - began

        return cast(Call, run)

    def take(self) -> float:
        """Since this was last asked."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds


def join(launch: Launch, meeting: Meeting, exchange: ExchangeName, facts: Mapping[str, Any]) -> Gang:
    """`facts`: what must be the same everywhere, by name."""
    jax.config.update("jax_enable_preemption_service", False)  # it would keep SIGTERM for itself
    with _explained_if_nobody_comes(launch, meeting):
        jax.distributed.initialize(
            meeting.address,
            launch.size,
            launch.rank,
            cluster_detection_method="deactivate",
            initialization_timeout=int(2 * patience()) + 1,
            heartbeat_timeout_seconds=HEARTBEAT_SECONDS,
            shutdown_timeout_seconds=LEAVING_SECONDS,
            coordinator_bind_address=meeting.address,
        )
    share = share_among(range(launch.size))
    if exchange == "collective":
        move, how = partial(exchange_collectively, launch.rank, share), "collectively"
    elif is_under_mpi(launch, os.environ):
        move, how = exchange_by_mpi(launch), "by MPI"
    else:
        move, how = partial(exchange_in_pairs, launch.rank), "in pairs"
    print(f"process {launch.rank} of {launch.size}, joined at {meeting.address}; members move {how}", flush=True)
    waiting = Waiting()
    gang = Gang(
        launch.rank,
        launch.size,
        share=waiting.timed(share),
        exchange=waiting.timed(move),
        leave=jax.distributed.shutdown,
        fail=_fail,
        launch_of=launch.of,
        has_own_folder=launch.has_own_folder,
        take_waited=waiting.take,
    )
    _check_same(gang, facts)
    return gang


@contextlib.contextmanager
def _explained_if_nobody_comes(launch: Launch, meeting: Meeting) -> Generator[None]:
    def give_up() -> None:
        print(
            f"process {launch.rank} of {launch.size} waited {patience():g} s at {meeting.address} ({meeting.host}) for "
            f"the others; start all of {launch.of(launch.size)} within this time, and let them reach that address: "
            f"their own logs say why one did not come; {PATIENCE} sets the time",
            flush=True,
        )
        os._exit(CRASHED)

    timer = threading.Timer(patience(), give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _fail() -> None:
    client: Any = distributed.global_state.client
    try:
        client.wait_at_barrier("failed", 1000 * FAILING_SECONDS)
    except jax.errors.JaxRuntimeError:
        print(f"no other process failed within {FAILING_SECONDS} s, so it leaves, which ends the others", flush=True)
        os._exit(FAILED)
    jax.distributed.shutdown()


def _check_same(gang: Gang, facts: Mapping[str, Any]) -> None:
    said = collect(gang, {"host": socket.gethostname(), **facts})
    for rank, other in enumerate(said):
        for name in facts:
            if other[name] != said[0][name]:
                raise EngineError(
                    f"{name} is {said[0][name]} in process 0 ({said[0]['host']}) and {other[name]} in process {rank} "
                    f"({other['host']})",
                    f"give all processes of {gang.launch_of(gang.size)} the same command, and the same versions of "
                    "everything",
                )
