"""Commands of the launcher on standard input: `stop`, `yield`; when it closes, the launcher is gone."""

import os
import threading
from io import FileIO
from typing import Literal

ORPHANED = 76
"""Exit code when the launcher died."""

Command = Literal["stop", "yield"]


class Commands:
    """Listens in its own thread. The training loop reads `wanted` between segments."""

    def __init__(self, source: FileIO) -> None:
        self.wanted: Command | None = None
        self._source = source

    def listen(self) -> None:
        threading.Thread(target=self._listen, name="commands", daemon=True).start()

    def _listen(self) -> None:
        for line in self._source:
            match line.strip():
                case b"stop":
                    self.wanted = "stop"
                case b"yield":
                    self.wanted = self.wanted or "yield"
                case unknown:
                    print(f"ignoring the unknown command {unknown!r}; use stop or yield", flush=True)
        # Nobody reads our events any more, and another attempt may start: exit immediately, without another write.
        os._exit(ORPHANED)
