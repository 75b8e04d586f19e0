"""The directory that holds a local platform: database, artifacts, runs, logs, and the credential of its worker."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from phylon.cli.exits import WorkFailed

DEFAULT_HOME = "~/.phylon"


class Home(NamedTuple):
    path: Path

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def socket(self) -> Path:
        return self.path / "redis.sock"


@contextmanager
def open_home(path: Path) -> Generator[Home]:
    """Creates the home if needed and locks it: two platforms on one database would disturb each other."""
    home = Home(path.expanduser().resolve())
    home.logs.mkdir(parents=True, exist_ok=True)
    with (home.path / "up.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WorkFailed(
                f"another `phylon up` is already running in {home.path}; use it, stop it, or choose another --home"
            ) from None
        yield home
