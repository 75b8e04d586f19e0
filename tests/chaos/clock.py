"""Starts the API with a clock that can be set: `python -m tests.chaos.clock OFFSET_FILE [options of serve]`.

The service takes its time from one function, and this is the only place that replaces it. The file holds the seconds
by which the clock is wrong; every process of the platform that reads it is on the same wrong clock, as on one machine.
Timers of the operating system go on as they are, as they do when a machine's clock is set.
"""

import sys
from datetime import datetime, timedelta
from pathlib import Path

from phylon.backend import serve
from phylon.backend.kit import clock


class SettableClock:
    """The file, for whoever sets the clock."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.seconds = 0.0
        self.jump(0.0)

    def jump(self, seconds: float) -> None:
        self.seconds += seconds
        new = self.file.with_suffix(".new")
        new.write_text(str(self.seconds))
        new.replace(self.file)


def main(file: str, *options: str) -> int:
    right, offset = clock.now, Path(file)

    def now() -> datetime:
        return right() + timedelta(seconds=float(offset.read_text()))

    clock.now = now
    return serve.main(list(options))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
