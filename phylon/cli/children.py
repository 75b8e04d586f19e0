"""Processes that train or measure in the foreground: their output goes to a file, Ctrl-C goes to them in order."""

import os
import signal
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any, Self

from phylon.child_process import ChildProcess


@contextmanager
def start_child(
    module: str, folder: Path, log_file: str, variables: Mapping[str, str] = MappingProxyType({})
) -> Generator[ChildProcess]:
    """Never left behind: what is still alive at the end of the block is killed. `variables`: beside ours."""
    with (folder / log_file).open("a", encoding="utf-8", buffering=1) as log:
        child = ChildProcess(module, folder, lambda line: print(line, file=log), {**os.environ, **variables})
        try:
            yield child
        finally:
            child.finish()


class Interrupts:
    """While this is entered, Ctrl-C and SIGTERM ask the child to stop in order; the second one kills it."""

    def __init__(self, child: ChildProcess) -> None:
        self._child = child
        self._previous: dict[signal.Signals, Any] = {}
        self.count = 0

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.count += 1
        if self.count > 1:
            self._child.kill()
        else:
            self._child.order("stop")


def describe_crash(noun: str, child: ChildProcess, log: Path) -> str:
    lines = "\n".join(f"  | {line}" for line in child.last_lines)
    return (
        f"the {noun} died with exit code {child.exit_code} and no outcome; run the same command again to resume from "
        f"where it stood. The end of {log}:\n{lines}"
    )
