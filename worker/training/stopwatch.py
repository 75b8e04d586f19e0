"""Where the time goes. Compilation is separated from the phase in which it happens, by JAX's own events."""

import contextlib
import time
from collections.abc import Iterator
from typing import Literal, get_args

from phylon.worker.execution.compilation import watch_compilation

Phase = Literal[
    "env", "act", "sample", "transfer", "update", "evaluate", "video", "evolve", "checkpoint", "compile", "other"
]
PHASES: tuple[Phase, ...] = get_args(Phase)


class Stopwatch:
    """Seconds per phase since the last `lap`. Phases do not nest; compilation interrupts any of them."""

    def __init__(self) -> None:
        self.wall_before = 0.0
        """Seconds of work of the earlier attempts, up to the checkpoint that this one resumes from."""
        self._began = self._lap_began = time.perf_counter()
        self._seconds: dict[Phase, float] = dict.fromkeys(PHASES, 0.0)
        self.compilations = 0

    @property
    def wall(self) -> float:
        """Seconds of work since the run began."""
        return self.wall_before + time.perf_counter() - self._began

    @contextlib.contextmanager
    def phase(self, name: Phase) -> Iterator[None]:
        began, compiling = time.perf_counter(), self._seconds["compile"]
        try:
            yield
        finally:
            self._seconds[name] += time.perf_counter() - began - (self._seconds["compile"] - compiling)

    @contextlib.contextmanager
    def watch_compilation(self) -> Iterator[None]:
        def record(event: str, seconds: float) -> None:
            self._seconds["compile"] += seconds
            self.compilations += event.endswith("backend_compile_duration")

        with watch_compilation(record):
            yield

    def lap(self) -> tuple[float, dict[Phase, float]]:
        """Seconds since the last lap, in total and by phase; `other` is what belongs to no phase."""
        now = time.perf_counter()
        total = now - self._lap_began
        seconds = self._seconds
        seconds["other"] += max(0.0, total - sum(seconds.values()))
        self._lap_began, self._seconds = now, dict.fromkeys(PHASES, 0.0)
        return total, seconds
