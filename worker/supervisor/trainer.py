"""The trainer process: started in a process group of its own, spoken to over its stdin, ended in three steps."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Literal

from phylon.contract.protocol import DeviceKind
from phylon.worker.supervisor.device import trainer_device_variables
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.settings import SECRETS

YIELDED = 75
"""Exit code after `yield`: a checkpoint is written, the run goes back to the queue."""
COMMAND_GRACE_SECONDS = 60.0
"""A segment may have to be compiled before the trainer looks at its orders."""
TERMINATE_GRACE_SECONDS = 10.0
LINES_REMEMBERED = 5

Command = Literal["stop", "yield"]


class Trainer:
    """Starts at construction. Its output goes to `logs`; the last lines are remembered to explain a crash."""

    def __init__(self, run_dir: Path, device: DeviceKind, logs: LogBuffer) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
        environment |= trainer_device_variables(device) | {"PYTHONUNBUFFERED": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "phylon.worker.training", str(run_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment,
        )
        self._logs = logs
        self._last_lines: deque[str] = deque(maxlen=LINES_REMEMBERED)
        self._reader = threading.Thread(target=self._read_output, name="trainer-output", daemon=True)
        self._reader.start()
        self._ordered: Command | None = None
        self._escalate_at = float("inf")
        self._terminated = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it lives; negative is the signal that ended it."""
        return self._process.poll()

    def order(self, command: Command) -> None:
        """Ask once; `escalate` sees to it that the trainer obeys."""
        if self._ordered is not None:
            return
        self._ordered = command
        self._escalate_at = time.monotonic() + COMMAND_GRACE_SECONDS
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended already; its exit code tells how
            self._process.stdin.write(f"{command}\n".encode())
            self._process.stdin.flush()

    def escalate(self) -> None:
        """SIGTERM, then SIGKILL, to a trainer that let its grace pass. Call it now and then."""
        if time.monotonic() < self._escalate_at:
            return
        if self._terminated:
            self._signal_group(signal.SIGKILL)
            self._escalate_at = float("inf")
            return
        self._logs.add("supervisor", f"the trainer did not obey '{self._ordered}'; it gets SIGTERM, then SIGKILL")
        self._signal_group(signal.SIGTERM)
        self._terminated = True
        self._escalate_at = time.monotonic() + TERMINATE_GRACE_SECONDS

    def finish(self) -> int:
        """Kill whatever is left of the group, take the rest of the output and return the exit code."""
        self._signal_group(signal.SIGKILL)
        code = self._process.wait()
        self._reader.join(timeout=10.0)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        return code

    def describe_end(self) -> str:
        code = self._process.wait()
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"
        last = "\n".join(self._last_lines)
        return f"the trainer {how} without an outcome" + (f"; its last output was:\n{last}" if last else "")

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):  # nobody is left
            os.killpg(self._process.pid, number)

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for line in output:
                text = line.decode(errors="replace").rstrip()
                if text:
                    self._last_lines.append(text)
                    self._logs.add("trainer", text)
