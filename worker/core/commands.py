"""Commands of a job's launcher on standard input: `stop`, `yield`; when it closes, the launcher is gone.

Exit codes of such a process: 0 finished or stopped, 1 failed (the spool says why), 75 yielded, 76 the launcher is gone;
70 and all others mean a crash, after which another attempt makes sense.
"""

import os
import threading
from io import FileIO
from typing import Literal

FAILED, CRASHED, ORPHANED = 1, 70, 76
EXIT_CODES = {"finished": 0, "stopped": 0, "failed": FAILED, "yielded": 75}

Command = Literal["stop", "yield"]


class Commands:
    """Listens in its own thread. The job reads `wanted` where it could stop."""

    def __init__(self, source: FileIO | None = None) -> None:
        """`source` is standard input, unless given."""
        self.wanted: Command | None = None
        # An unbuffered file of our own: at exit Python would wait for the listener to let go of sys.stdin's buffer.
        self._source = source or FileIO(0, closefd=False)

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
