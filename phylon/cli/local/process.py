"""A process of the platform: tied to ours, restarted when it dies, stopped in order.

Tied (see `tied`) means that the kernel ends it when we die, even by SIGKILL.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from phylon.cli.local import tied

FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
STEADY_SECONDS = 60.0
"""A process that lived this long has a clean record."""
MOST_FAILURES = 8
"""In a row; then restarting it does not help."""
LARGEST_LOG_BYTES = 20 * 2**20


class Process:
    """One child that should be running."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        stdin: str = "",
        patience: float = 10.0,
    ) -> None:
        """`patience`: seconds that it gets to stop in order."""
        self.name = name
        self.log = log
        self._command = list(command)
        self._environment = dict(environment)
        self._stdin = stdin
        self._patience = patience
        self._child: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._due: float | None = None
        self.failures = 0

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-S", tied.__file__, str(os.getpid()), *self._command],
                env=self._environment,
                stdin=subprocess.PIPE if self._stdin else subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us: we stop them one after the other
            )
        if self._child.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._child.stdin.write(self._stdin.encode())
                self._child.stdin.close()
        self._started = time.monotonic()
        self._due = None

    def rotate_log(self) -> None:
        """Keeps one older file beside the log. The child goes on writing: it appends, wherever the end is."""
        if self.log.exists() and self.log.stat().st_size > LARGEST_LOG_BYTES:
            shutil.copyfile(self.log, self.log.with_suffix(".1.log"))
            os.truncate(self.log, 0)

    def exit_code(self) -> int | None:
        return self._child.poll() if self._child else None

    def restart_if_dead(self) -> str | None:
        """Restarts it when it is dead and its delay is over. Returns what the user should know, if anything."""
        now = time.monotonic()
        if self._due is not None:
            if now >= self._due:
                self.start()
            return None
        code = self.exit_code()
        if code is None:
            return None
        self.failures = 1 if now - self._started > STEADY_SECONDS else self.failures + 1
        delay = min(LONGEST_DELAY, FIRST_DELAY * 2 ** (self.failures - 1))
        self._due = now + delay
        return f"{self.name} died ({_describe(code)}); restarting it in {delay:g} s. See {self.log}"

    @property
    def hopeless(self) -> bool:
        return self.failures >= MOST_FAILURES

    def stop(self) -> None:
        """SIGTERM, patience, then SIGKILL of all that is left of its session."""
        self._due = None
        if self._child is None:
            return
        if self._child.poll() is None:
            self._child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(self._patience)
        self.kill()

    def kill(self) -> None:
        if self._child is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()

    def read_log_tail(self, lines: int = 15) -> str:
        with self.log.open(encoding="utf-8", errors="replace") as log:
            end = "".join(f"  | {line}" for line in deque(log, maxlen=lines)).rstrip("\n")
        return f"The end of {self.log}:\n{end}"


def _describe(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
