"""A contender as the conductor sees it: one process, or for PyTorch's `parallel` several that divide the members."""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, NamedTuple

from phylon.spec import StudyCell
from phylon.study import Measurement, measured, unmeasured
from phylon.worker.studies import cell as cell_process
from phylon.worker.studies.cell import Failed, Finished, Ready
from phylon.worker.studies.contender import Task

PATIENCE_SECONDS = 900.0
"""How long a process may be silent. Compiling a large population takes minutes at worst."""
ENDING_SECONDS = 10.0
KILLED = -9

_context = multiprocessing.get_context("spawn")


class LaneFailed(Exception):
    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.reason)
        self.failed = failed


class _Child(NamedTuple):
    process: SpawnProcess
    connection: Connection


class Lane:
    """Each step waits for all of its processes; whatever goes wrong in one of them is a `LaneFailed`."""

    def __init__(self, cell: StudyCell, tasks: list[Task]) -> None:
        self.cell = cell
        self._milliseconds: list[float] = []
        self._calls = 0
        self._ready = Ready(0.0, 0.0, None)
        self._is_finished = False
        self._children = [_start(task) for task in tasks]

    def prepare(self) -> None:
        """Waits until every process has made its warm-up calls."""
        answers: list[Ready] = self._receive_all()
        self._ready = Ready(
            max(answer.compile_seconds for answer in answers),
            max(answer.call_seconds for answer in answers),
            answers[0].note,
        )

    def plan(self, seconds: float) -> None:
        """Sets how many calls a repeat of about this length makes."""
        self._calls = max(1, min(10_000, round(seconds / max(self._ready.call_seconds, 1e-6))))

    def repeat(self) -> None:
        """The slowest process counts: the population is updated when the last member is."""
        self._send(self._calls)
        slowest = max(self._receive_all())
        self._milliseconds.append(1e3 * slowest / (self._calls * self.cell.fused_updates))

    def finish(self) -> Measurement:
        self._send(0)
        answers: list[Finished] = self._receive_all()
        self._is_finished = True
        return measured(
            self.cell,
            self._milliseconds,
            self._calls,
            self._ready.compile_seconds,
            sum(answer.memory_bytes for answer in answers),
            sum(answer.processes for answer in answers),
            self._ready.note,
        )

    def close(self) -> None:
        for child in self._children:
            child.connection.close()  # upon which a waiting process exits
        for child in self._children:
            if self._is_finished:
                child.process.join(ENDING_SECONDS)
            if child.process.is_alive():
                child.process.kill()
                child.process.join()

    def _send(self, calls: int) -> None:
        for child in self._children:
            self._attempt(child, lambda child=child: child.connection.send(calls))

    def _receive_all(self) -> list[Any]:
        return [self._attempt(child, lambda child=child: _receive(child)) for child in self._children]

    def _attempt(self, child: _Child, step: Callable[[], Any]) -> Any:
        try:
            answer = step()
        except (EOFError, OSError):
            child.process.join(ENDING_SECONDS)
            raise LaneFailed(_explain_death(child.process.exitcode)) from None
        if isinstance(answer, Failed):
            raise LaneFailed(answer)
        return answer


def _start(task: Task) -> _Child:
    ours, theirs = _context.Pipe()
    # Not a daemon, because daemons may not start processes. It exits when the pipe closes.
    process = _context.Process(target=cell_process.main, args=(theirs, task))
    process.start()
    theirs.close()
    return _Child(process, ours)


def _receive(child: _Child) -> Any:
    if not child.connection.poll(PATIENCE_SECONDS):
        return Failed("failed", f"no answer for {PATIENCE_SECONDS:.0f} s")
    return child.connection.recv()


def _explain_death(exit_code: int | None) -> Failed:
    if exit_code == KILLED:
        return Failed("out_of_memory", "its process was killed, as the system does when memory runs out")
    return Failed("failed", f"its process ended with exit code {exit_code}")


def failure(cell: StudyCell, failed: Failed) -> Measurement:
    return unmeasured(cell, failed.status, failed.reason)
