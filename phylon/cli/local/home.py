"""The directory that holds a local platform: database, artifacts, runs, logs, and the token of its workers."""

import fcntl
import os
import secrets
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


def worker_token(home: Home) -> str:
    """The secret that workers present to the service; created at the first start, readable only by its owner."""
    file = home.path / "worker-token"
    try:
        token = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        token = ""
    if not token:
        token = secrets.token_urlsafe(32)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as writer:
            writer.write(token + "\n")
    file.chmod(0o600)
    return token
