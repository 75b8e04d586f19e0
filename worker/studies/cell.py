"""The process of a cell: builds its contender, then makes calls at the conductor's request and reports their duration.

Only the framework that is measured is imported, only here, and after cores and flags are set, so memory and threads are
the cell's own. The process ends with the conductor.
"""

import contextlib
import multiprocessing
import os
import resource
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from phylon.study import CellStatus
from phylon.worker.core.startup import one_cpu_device_per_core
from phylon.worker.studies.contender import Contender, NotApplicable, Task

OUT_OF_MEMORY = ("out of memory", "resource_exhausted", "bad_alloc", "cannot allocate memory", "memoryerror")
"""By these words an error of either framework is recognised as one about memory."""


class Ready(NamedTuple):
    compile_seconds: float
    call_seconds: float
    """Of the last warm-up call."""
    note: str | None


class Failed(NamedTuple):
    status: CellStatus
    reason: str


class Finished(NamedTuple):
    memory_bytes: int
    """The peak."""
    processes: int
    """How many did the work."""


Seconds = float
Repeat = int
"""A request of the conductor: make this many calls. 0: answer with `Finished` and exit."""


def main(connection: Connection, task: Task) -> None:
    try:
        _prepare(task)
        _serve(connection, task)
    except (EOFError, BrokenPipeError):
        pass
    except Exception as error:
        traceback.print_exc()
        with contextlib.suppress(BrokenPipeError):
            connection.send(classify_error(error))


def classify_error(error: Exception) -> Failed:
    text = f"{type(error).__name__}: {error}".strip()
    if isinstance(error, NotApplicable):
        return Failed("not_applicable", str(error))
    is_memory = isinstance(error, MemoryError) or any(words in text.lower() for words in OUT_OF_MEMORY)
    return Failed("out_of_memory" if is_memory else "failed", text)


def _prepare(task: Task) -> None:
    os.sched_setaffinity(0, task.cores)
    with contextlib.suppress(OSError):  # when memory runs out, the system should kill this process, not its neighbours
        Path("/proc/self/oom_score_adj").write_text("1000")
    # Contenders for the same work share the device, so none may reserve all of its memory.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if task.cell.strategy in ("sharded", "auto"):
        one_cpu_device_per_core(most=task.members)


def _serve(connection: Connection, task: Task) -> None:
    contender = _build(task)
    if task.only_choose:
        connection.send(Ready(0.0, 0.0, contender.note))
        return
    compile_seconds = _time(contender, 1)
    for _ in range(task.warmup_calls - 1):
        contender.call()
    connection.send(Ready(compile_seconds, _time(contender, 1), contender.note))
    calls: Repeat
    while calls := connection.recv():
        connection.send(_time(contender, calls))
    helpers = [child.pid for child in multiprocessing.active_children()]
    memory = contender.peak_memory_bytes() or sum(map(peak_resident_bytes, ["self", *helpers]))
    connection.send(Finished(memory, max(1, len(helpers))))


def _build(task: Task) -> Contender:
    if task.cell.framework == "torch":
        from phylon.worker.studies.torch_contender import TorchContender

        return TorchContender(task)
    from phylon.worker.studies.jax_contender import JaxContender

    return JaxContender(task)


def _time(contender: Contender, calls: int) -> Seconds:
    began = time.perf_counter()
    for _ in range(calls):
        contender.call()
    return time.perf_counter() - began


def peak_resident_bytes(process: int | str | None) -> int:
    """Since its start; where the kernel does not report it, the value of `getrusage` for this process."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
