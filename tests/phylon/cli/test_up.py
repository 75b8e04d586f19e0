"""`phylon up` as a whole: it comes up, heals itself, ends in order, and never leaves a process behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from phylon import Client, PhylonUnreachable

BOUND_SECONDS = 90.0
"""Only ends a test that hangs."""


class Up:
    """A running `phylon up` and its descendants, as seen from outside."""

    client: Client | None = None

    def __init__(self, home: Path, *arguments: str) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PHYLON_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "phylon", "up", "--home", str(home), *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.family = [self.process.pid]

    def wait(self) -> None:
        """Until it is ready; it gives up by itself when that takes too long."""
        assert self.process.stdout and self.process.stderr
        line = self.process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert match, f"{line}{self.process.stderr.read()}"
        self.url = match.group(0)
        self.client = Client(self.url)
        self.family += [child.pid for child in self.children()]

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, word: str) -> psutil.Process:
        (found,) = [c for c in self.children() if c.ppid() == self.process.pid and word in " ".join(c.cmdline())]
        return found

    def close(self) -> None:
        if self.client:
            self.client.close()
        for pid in self.family:
            if psutil.pid_exists(pid):
                psutil.Process(pid).kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + BOUND_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def gone(pids: list[int]) -> bool:
    return not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in pids)


@pytest.fixture
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Up]]:
    running: list[Up] = []

    def run(*arguments: str) -> Up:
        up = Up(tmp_path_factory.mktemp("home"), *arguments)
        running.append(up)
        up.wait()
        return up

    yield run
    for up in running:
        up.close()


def healthy(client: Client) -> bool:
    try:
        return client.health().status == "ok"
    except PhylonUnreachable:
        return False


def test_it_comes_up_heals_itself_and_ends_in_order(start: Callable[..., Up]):
    up = start()
    assert healthy(up.client)
    assert [worker.state for worker in up.client.workers()] == ["idle"]
    for word in ("phylon.backend.serve", "redis-server"):
        victim = up.child(word)
        victim.kill()
        assert eventually(lambda victim=victim: not victim.is_running() and healthy(up.client)), f"{word} is not back"
    up.family += [child.pid for child in up.children()]
    up.process.send_signal(signal.SIGTERM)
    assert up.process.wait(BOUND_SECONDS) == 0
    assert gone(up.family)


def test_killed_it_leaves_nobody_behind(start: Callable[..., Up]):
    up = start("--no-worker")
    assert len(up.family) >= 3
    up.process.kill()
    assert eventually(lambda: gone(up.family))


def test_a_taken_port_is_bad_input(shell, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        result = shell("up", "--home", str(tmp_path), "--port", str(other.getsockname()[1]))
    assert result.returncode == 2
    assert "is taken; choose another with --port" in result.stderr
