"""A study as a child process: `python -m phylon.worker.studies`, which tells its progress a line at a time.

It watches its stdin: when this process dies, however it dies, the pipe closes and the study ends. What is measured by
then is in its file.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LOG_FILE = "study.log"
REFUSED = 2


class Progress(NamedTuple):
    done: int
    total: int
    text: str


class StudyEnded(Exception):
    """The process ended before the study did."""

    def __init__(self, exit_code: int, last_words: list[str]) -> None:
        super().__init__(f"exit code {exit_code}")
        self.exit_code, self.last_words = exit_code, last_words


def run_study(folder: Path) -> Iterator[Progress]:
    """What happens, as it happens. Raises `StudyEnded`; a `KeyboardInterrupt` of ours ends it."""
    with (
        (folder / LOG_FILE).open("ab") as log,
        subprocess.Popen(
            [sys.executable, "-m", "phylon.worker.studies", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            for line in process.stdout:
                with contextlib.suppress(ValueError, KeyError, TypeError):  # a library's own chatter
                    told = json.loads(line)
                    yield Progress(told["done"], told["total"], told["text"])
            code = process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if code:
        raise StudyEnded(code, _last_words(folder / LOG_FILE))


def _last_words(file: Path, lines: int = 15) -> list[str]:
    with file.open(encoding="utf-8", errors="replace") as log:
        return [line.rstrip() for line in deque(log, maxlen=lines)]
