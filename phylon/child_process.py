"""The process that executes a job: started in a process group of its own, ordered about over its standard input.

It ends when its standard input closes, so it does not outlive the process that started it, however that one ends.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Mapping
from pathlib import Path
from typing import Literal

COMMAND_GRACE_SECONDS = 60.0
"""A program may have to be compiled before the process looks at its orders."""
TERMINATE_SHARE = 1 / 6
"""Of the grace for a command: what a process gets between SIGTERM and SIGKILL."""
LONGEST_LINE = 4_000
"""Bytes. A longer line comes in pieces, so that output without line breaks takes no memory."""
LINES_REMEMBERED = 15

Command = Literal["stop", "yield"]


class ChildProcess:
    """`python -m MODULE FOLDER`. Starts at construction; `on_line` is called with each line of its output.

    `on_line` is called in a thread of its own. The last lines are remembered to explain a crash.
    """

    def __init__(
        self,
        module: str,
        folder: Path,
        on_line: Callable[[str], None],
        environment: Mapping[str, str] = os.environ,
        cores: Collection[int] | None = None,
    ) -> None:
        """It may use these cores, or all that this process may."""
        with _running_on(cores):
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**environment, "PYTHONUNBUFFERED": "1"},
            )
        self._on_line = on_line
        self.last_lines: deque[str] = deque(maxlen=LINES_REMEMBERED)
        self._reader = threading.Thread(target=self._read_output, name="child-output", daemon=True)
        self._reader.start()
        self._ordered: Command | None = None
        self._escalate_at = float("inf")
        self._terminate_grace = 0.0
        self._terminated = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it lives; negative is the signal that ended it."""
        return self._process.poll()

    def order(self, command: Command, grace_seconds: float = COMMAND_GRACE_SECONDS) -> None:
        """Asked once, however often it is called; `escalate` sees to it that the process obeys.

        The shortest grace that was given holds. A process that was asked to yield can still be stopped.
        """
        escalate_at = time.monotonic() + grace_seconds
        if not self._terminated and escalate_at < self._escalate_at:
            self._escalate_at, self._terminate_grace = escalate_at, TERMINATE_SHARE * grace_seconds
        if self._ordered in (command, "stop"):
            return
        self._ordered = command
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended already; its exit code says how
            self._process.stdin.write(f"{command}\n".encode())
            self._process.stdin.flush()

    def escalate(self) -> str | None:
        """SIGTERM, then SIGKILL, to a process that let its grace pass. Call it now and then; it says what it did."""
        if time.monotonic() < self._escalate_at:
            return None
        if self._terminated:
            self.kill()
            return None
        self._signal_group(signal.SIGTERM)
        self._terminated = True
        self._escalate_at = time.monotonic() + self._terminate_grace
        return f"the process did not obey '{self._ordered}'; it gets SIGTERM, then SIGKILL"

    def kill(self) -> None:
        """With all that it started."""
        self._signal_group(signal.SIGKILL)

    def finish(self) -> int:
        """Kill whatever is left of the group, take the rest of the output and return the exit code."""
        self.kill()
        code = self._process.wait()
        self._reader.join(timeout=10.0)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        return code

    def describe_end(self) -> str:
        code = self._process.wait()
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"
        last = "\n".join(list(self.last_lines)[-5:])
        return f"the process {how} without an outcome" + (f"; its last output was:\n{last}" if last else "")

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):  # nobody is left
            os.killpg(self._process.pid, number)

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            while line := output.readline(LONGEST_LINE):
                text = line.decode(errors="replace").rstrip()
                if text:
                    self.last_lines.append(text)
                    self._on_line(text)


@contextlib.contextmanager
def _running_on(cores: Collection[int] | None) -> Generator[None]:
    """A process may use the cores of the thread that starts it; so no moment passes in which it has others."""
    if cores is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
