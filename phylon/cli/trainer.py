"""The trainer as a child process: started in its own session, told to stop over its stdin, never left behind.

It watches its stdin: when this process dies, however it dies, the pipe closes and the trainer exits at once.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

LOG_FILE = "trainer.log"


class Trainer:
    """Trains what the run directory says. Ctrl-C asks it to stop with a checkpoint; the second one kills it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._previous: dict[signal.Signals, Any] = {}
        self.interrupts = 0

    def __enter__(self) -> Self:
        with (self._folder / LOG_FILE).open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "phylon.worker.training", str(self._folder)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        if self._process.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        if self._process.poll() is None:
            self.kill()

    def exit_code(self) -> int | None:
        return self._process.poll()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def last_words(self, lines: int = 15) -> list[str]:
        with (self._folder / LOG_FILE).open(encoding="utf-8", errors="replace") as log:
            return [line.rstrip() for line in deque(log, maxlen=lines)]

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.interrupts += 1
        if self.interrupts > 1:
            self.kill()
        elif self._process.stdin:
            with contextlib.suppress(BrokenPipeError):  # it may have just ended by itself
                self._process.stdin.write(b"stop\n")
                self._process.stdin.flush()
