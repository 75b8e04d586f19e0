"""Log lines of one attempt, kept until the service has stored them."""

import threading
import time
from collections import deque
from typing import Literal, NamedTuple

from phylon.contract.protocol import LogLine

MOST_WAITING = 20_000


class _Waiting(NamedTuple):
    wall: float
    stream: Literal["trainer", "supervisor"]
    text: str


class LogBuffer:
    """Lines get their number when they are first offered, so numbers have no gaps even when lines had to be dropped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._waiting: deque[_Waiting] = deque()
        self._offered: list[LogLine] = []
        self._next_line = 0
        self._dropped = 0

    def add(self, stream: Literal["trainer", "supervisor"], text: str) -> None:
        with self._lock:
            if len(self._waiting) == MOST_WAITING:
                self._waiting.popleft()
                self._dropped += 1
            self._waiting.append(_Waiting(time.monotonic() - self._began, stream, text))

    def offer(self, limit: int) -> list[LogLine]:
        """The oldest lines that are not stored yet, the same ones until they are."""
        with self._lock:
            if self._dropped and len(self._offered) < limit:
                note = f"{self._dropped} lines were dropped here: they came faster than the service could take them"
                self._number(_Waiting(time.monotonic() - self._began, "supervisor", note))
                self._dropped = 0
            while self._waiting and len(self._offered) < limit:
                self._number(self._waiting.popleft())
            return self._offered[:limit]

    def stored(self, next_line: int) -> None:
        """The service holds every line before `next_line`."""
        with self._lock:
            self._offered = [line for line in self._offered if line.line >= next_line]

    def is_empty(self) -> bool:
        with self._lock:
            return not self._waiting and not self._offered and not self._dropped

    def _number(self, waiting: _Waiting) -> None:
        self._offered.append(LogLine(line=self._next_line, **waiting._asdict()))
        self._next_line += 1
