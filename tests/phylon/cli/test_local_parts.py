"""The parts of `phylon up`: home, token, ports, Redis, and processes that are tied to their parent."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import redis

from phylon.cli.exits import BadInput, WorkFailed
from phylon.cli.local import process as process_module
from phylon.cli.local.home import Home, open_home
from phylon.cli.local.ports import DEFAULT_PORT, choose_port
from phylon.cli.local.process import Process
from phylon.cli.local.redis_server import find_executable, plan_redis, version_of
from phylon.redis_url import client_url

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


class TestHome:
    def test_a_home_is_not_shared(self, tmp_path: Path):
        with (
            open_home(tmp_path),
            pytest.raises(WorkFailed, match="another `phylon up` is already running in"),
            open_home(tmp_path),
        ):
            pass


class TestPorts:
    def test_a_port_that_was_asked_for_is_taken(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            with pytest.raises(BadInput, match=f"port {port} is taken"):
                choose_port(port)
        assert choose_port(port) == port

    def test_without_a_wish_the_next_free_one_is_found(self):
        first = choose_port(None)
        assert first >= DEFAULT_PORT
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(("127.0.0.1", first))
            other.listen()
            assert choose_port(None) > first


class TestRedis:
    @pytest.fixture
    def on_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
        """Puts a server of that version first on PATH."""

        def put(version: str) -> str:
            folder = tmp_path / "bin"
            folder.mkdir()
            script = folder / "redis-server"
            script.write_text(f"#!/bin/sh\necho 'Redis server v={version} sha=0:0 malloc=libc bits=64'\n")
            script.chmod(0o755)
            monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
            return str(script)

        return put

    def test_a_newer_server_on_path_is_preferred(self, on_path: Callable[[str], str]):
        newer = on_path("99.0.1")
        assert version_of(newer) == (99, 0, 1)
        assert find_executable() == newer

    def test_an_older_one_is_not(self, on_path: Callable[[str], str]):
        older = on_path("1.2.3")
        assert find_executable() != older
        assert version_of(find_executable()) >= (6, 2)

    @pytest.fixture
    def serve(self, tmp_path: Path) -> Iterator[Callable[[Home], str]]:
        started: list[Process] = []

        def start(home: Home) -> str:
            server = plan_redis(home)
            environment = dict(os.environ)
            child = Process(
                "redis", [server.executable, "-"], environment, tmp_path / "redis.log", server.configuration
            )
            child.start()
            started.append(child)
            assert eventually(lambda: answers(server.url)), (tmp_path / "redis.log").read_text()
            return server.url

        yield start
        for child in started:
            child.stop()

    def test_it_listens_on_a_socket_for_its_owner(self, serve: Callable[[Home], str], tmp_path_factory):
        folder = Path(tmp_path_factory.mktemp("r"))
        url = serve(Home(folder))
        assert url.startswith("unix://")
        assert stat.S_IMODE((folder / "redis.sock").stat().st_mode) == 0o700
        with redis.from_url(client_url(url)) as connection:
            assert connection.config_get("save")["save"] == ""
            assert connection.config_get("appendonly")["appendonly"] == "no"
            assert connection.config_get("port")["port"] == "0"

    def test_a_path_too_long_for_a_socket_gets_a_port_and_a_password(
        self, serve: Callable[[Home], str], tmp_path: Path
    ):
        folder = tmp_path / ("long" * 30)
        folder.mkdir()
        remark = plan_redis(Home(folder)).remark
        assert remark and "longer than 100 bytes" in remark and "shorter --home" in remark
        url = serve(Home(folder))
        assert url.startswith("redis://:")
        with pytest.raises(redis.AuthenticationError), redis.from_url(f"redis://{url.partition('@')[2]}") as stranger:
            stranger.ping()


def answers(url: str) -> bool:
    try:
        with redis.from_url(client_url(url)) as connection:
            return bool(connection.ping())
    except redis.ConnectionError:
        return False


class TestProcess:
    @pytest.fixture(autouse=True)
    def _quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process_module, "FIRST_DELAY", 0.05)

    def make(self, tmp_path: Path, command: list[str]) -> Process:
        return Process("sleeper", command, dict(os.environ), tmp_path / "log", patience=5)

    def test_a_dead_one_is_started_again(self, tmp_path: Path):
        child = self.make(tmp_path, SLEEPER)
        child.start()
        first = child.pid
        assert first and child.restart_if_dead() is None
        os.kill(first, signal.SIGKILL)
        messages: list[str] = []
        assert eventually(lambda: messages.extend(filter(None, [child.restart_if_dead()])) or child.pid != first)
        assert len(messages) == 1 and "signal SIGKILL" in messages[0] and "restarting it" in messages[0]
        child.stop()
        assert child.pid and not alive(child.pid)

    def test_one_that_dies_again_and_again_is_given_up(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(process_module, "LONGEST_DELAY", 0.05)
        child = self.make(tmp_path, [sys.executable, "-c", "print('no licence'); raise SystemExit(4)"])
        child.start()
        assert eventually(lambda: child.restart_if_dead() is None and child.hopeless)
        child.stop()
        assert "no licence" in child.read_log_tail()

    def test_a_large_log_begins_again_while_the_process_writes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(process_module, "LARGEST_LOG_BYTES", 10)
        script = "import sys; print('before the rotation', flush=True); sys.stdin.readline(); print('after')"
        reading, writing = os.pipe()
        command = ["sh", "-c", f'{sys.executable} -c "{script}" < /proc/{os.getpid()}/fd/{reading}']
        child = Process("writer", command, dict(os.environ), tmp_path / "writer.log")
        child.start()
        try:
            assert eventually(lambda: "before" in child.log.read_text())
            child.rotate_log()
            assert child.log.read_text() == ""
            os.write(writing, b"go\n")
            assert eventually(lambda: child.log.read_text() == "after\n")
            assert (tmp_path / "writer.1.log").read_text() == "before the rotation\n"
        finally:
            child.stop()
            os.close(reading)
            os.close(writing)

    def test_one_that_ignores_the_end_is_killed(self, tmp_path: Path):
        stubborn = "import signal, time; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
        child = Process("stubborn", [sys.executable, "-c", stubborn], dict(os.environ), tmp_path / "log", patience=0.2)
        child.start()
        assert eventually(lambda: "ready" in (tmp_path / "log").read_text())
        child.stop()
        assert child.exit_code() == -signal.SIGKILL

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
    def test_it_does_not_outlive_its_parent(self, tmp_path: Path):
        code = (
            "import os, sys, time; from pathlib import Path; from phylon.cli.local.process import Process\n"
            f"child = Process('sleeper', {SLEEPER!r}, os.environ, Path({str(tmp_path / 'log')!r}))\n"
            "child.start(); print(child.pid, flush=True); time.sleep(60)"
        )
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout
            pid = int(parent.stdout.readline())
            assert alive(pid)
            parent.kill()
        assert eventually(lambda: not alive(pid))
