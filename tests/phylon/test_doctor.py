"""`phylon doctor` on machines with something wrong, each broken for real."""

import contextlib
import http.server
import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import pytest

from phylon.doctor import examine
from phylon.doctor.database import check_database
from phylon.doctor.engine import check_gpu, check_jax, check_suite
from phylon.doctor.files import check_disk, check_permissions
from phylon.doctor.finding import ChildFailed, Finding, Machine, run_child
from phylon.doctor.python import check_packages, check_python
from phylon.doctor.redis_server import check_redis
from phylon.doctor.service import check_clock, check_port, check_service, check_workers
from phylon.redis_url import socket_url
from phylon.registry import suites


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Its service is not running."""
    return Machine(tmp_path, {"PATH": os.environ["PATH"]})


def having(machine: Machine, **environment: str) -> Machine:
    return machine._replace(environment={**machine.environment, **environment})


def only(findings: list[Finding]) -> Finding:
    (finding,) = findings
    assert (finding.level == "ok") == (finding.remedy is None)
    return finding


class TestPython:
    def test_all_is_well(self, machine: Machine):
        assert only(check_python(machine)).level == "ok"
        assert only(check_packages(machine)).level == "ok"

    def test_versions_that_are_not_the_required_ones(
        self, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        """Another phylon, which asks for more, is found first."""
        folder = tmp_path / "phylon-9.0.dist-info"
        folder.mkdir()
        lines = ["Metadata-Version: 2.1", "Name: phylon", "Version: 9.0", "Requires-Python: >=4"]
        lines += ["Requires-Dist: numpy>=99", "Requires-Dist: nobody-wrote-this", "Requires-Dist: httpx>0"]
        lines += ["Provides-Extra: other", 'Requires-Dist: nor-this; extra == "other"']
        (folder / "METADATA").write_text("\n".join(lines) + "\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        assert "needs >=4" in only(check_python(machine)).message
        numpy, missing = check_packages(machine)
        assert numpy.level == missing.level == "error"
        assert "Phylon needs >=99" in numpy.message and numpy.remedy == "run: pip install 'numpy>=99'"
        assert missing.message == "nobody-wrote-this is not installed"


class TestEngine:
    @pytest.fixture
    def with_module(self, machine: Machine, tmp_path: Path):
        """A library that is not what it should be, for child processes."""

        def put(name: str, code: str) -> Machine:
            (tmp_path / "lib").mkdir(exist_ok=True)
            (tmp_path / "lib" / f"{name}.py").write_text(code)
            path = os.pathsep.join([str(tmp_path / "lib"), os.environ.get("PYTHONPATH", "")])
            # Compiled code would outlive a module that is written again within a second.
            return having(machine, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")

        return put

    def test_a_jax_that_cannot_be_loaded(self, with_module):
        finding = only(check_jax(with_module("jax", "raise ImportError('libcuda.so.1: no such file')")))
        assert (finding.check, finding.level) == ("jax", "error")
        assert "libcuda.so.1: no such file" in finding.message

    def test_a_process_that_hangs_is_given_up(self, machine: Machine):
        with pytest.raises(ChildFailed, match=r"no answer within 0\.1 s"):
            run_child(machine, ["-c", "import time; time.sleep(600)"], 0.1)

    def test_a_gpu_that_jax_does_not_see(self, with_module, tmp_path: Path):
        program = tmp_path / "nvidia-smi"
        program.write_text("#!/bin/sh\necho 'GPU 0: NVIDIA A100 (UUID: GPU-1)'\n")
        program.chmod(0o700)
        fake = (
            "import types\n__version__ = '0.10.2'\nplatform = '{}'\n"
            "device = types.SimpleNamespace(platform=platform, device_kind='a device')\ndevices = lambda: [device]\n"
            "class numpy:\n  ones = staticmethod(lambda n: types.SimpleNamespace(sum=lambda: types.SimpleNamespace("
            "block_until_ready=lambda: None)))\n"
        )
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        finding = only(check_gpu(having(with_module("jax", fake.format("cpu")), PATH=path)))
        assert finding.level == "error" and finding.message.startswith("GPU 0: NVIDIA A100 is there")
        assert "phylon[cuda]" in (finding.remedy or "")
        assert only(check_gpu(having(with_module("jax", fake.format("gpu")), PATH=path))).level == "ok"
        assert check_gpu(having(with_module("jax", fake), PATH="/nowhere")) == []

    def test_a_suite_whose_library_ends_the_process(self, with_module):
        crash = with_module("envpool", "import os; os._exit(3)")
        finding = check_suite(crash, suites()["envpool"])
        assert (finding.level, finding.message) == ("error", "cannot be loaded: exit code 3")
        assert "pip install 'phylon[suites]'" in (finding.remedy or "")

    def test_a_suite_that_is_there(self, machine: Machine):
        assert check_suite(machine, suites()["probe"]).level == "ok"


class TestFiles:
    def test_a_full_disk(self, machine: Machine):
        assert {finding.level for finding in check_disk(machine, low=0, full=0)} == {"ok"}
        assert {finding.level for finding in check_disk(machine, low=10**18, full=0)} == {"warning"}
        found = check_disk(machine, low=10**18, full=10**18)
        assert [finding.check for finding in found] == ["disk of home", "disk of artifacts", "disk of runs"]
        assert {finding.level for finding in found} == {"error"}

    def test_a_folder_that_cannot_be(self, machine: Machine, tmp_path: Path):
        (tmp_path / "file").touch()
        found = check_disk(having(machine, PHYLON_RUNS=str(tmp_path / "file" / "runs")), low=0, full=0)
        assert [finding.level for finding in found] == ["ok", "ok", "error"]
        assert "cannot be written to" in found[-1].message

    def test_secrets_that_others_can_read(self, machine: Machine, tmp_path: Path):
        token, kept = tmp_path / "worker-token", tmp_path / "backups" / "before-change.db"
        kept.parent.mkdir()
        for file in (token, kept):
            file.touch(0o600)
        assert only(check_permissions(machine)).level == "ok"
        token.chmod(0o640)
        assert only(check_permissions(machine)).remedy == f"run: chmod 600 '{token}'"
        kept.chmod(0o604)
        tmp_path.chmod(0o777)
        assert [finding.level for finding in check_permissions(machine)] == ["error"] * 3


class TestDatabase:
    @pytest.fixture
    def migrated(self, machine: Machine) -> Machine:
        environment = {**os.environ, "PHYLON_HOME": str(machine.home)}
        environment.pop("PHYLON_DATABASE_URL", None)
        subprocess.run([sys.executable, "-m", "phylon.backend.migrate"], env=environment, check=True, timeout=120)
        return machine

    def test_from_nothing_to_a_newer_one(self, migrated: Machine):
        assert only(check_database(migrated)).level == "ok"
        for revision, level, said in (("0005", "warning", "schema 0005"), ("9999", "error", "does not know")):
            with contextlib.closing(sqlite3.connect(migrated.home / "phylon.db")) as connection, connection:
                connection.execute("UPDATE alembic_version SET version_num = ?", [revision])
            finding = only(check_database(migrated))
            assert finding.level == level and said in finding.message

    def test_none_yet(self, machine: Machine):
        finding = only(check_database(machine))
        assert finding.level == "warning" and "has no tables yet" in finding.message
        assert not (machine.home / "phylon.db").exists()

    @pytest.mark.parametrize("url", ["postgresql://me:hush@127.0.0.1:9/phylon", "not an address", "sqlite:////"])
    def test_one_that_is_not_there(self, machine: Machine, url: str):
        finding = only(check_database(having(machine, PHYLON_DATABASE_URL=url)))
        assert finding.level == "error" and "PHYLON_DATABASE_URL" in (finding.remedy or "")
        assert "hush" not in str(finding)


class TestRedis:
    def test_one_that_answers(self, machine: Machine, redis_socket: Path):
        finding = only(check_redis(having(machine, PHYLON_REDIS_URL=socket_url(str(redis_socket)))))
        assert finding.level == "ok" and "version 6.2" in finding.message

    @pytest.mark.parametrize("url", ["redis://:hush@127.0.0.1:9/0", "unix:///nowhere/redis.sock", "http://elsewhere"])
    def test_one_that_does_not(self, machine: Machine, url: str):
        finding = only(check_redis(having(machine, PHYLON_REDIS_URL=url)))
        assert finding.level == "error" and "hush" not in str(finding)

    def test_the_one_that_up_would_start(self, machine: Machine):
        assert "starts with `phylon up`" in only(check_redis(machine)).message

    def test_a_socket_that_nobody_listens_on(self, machine: Machine):
        with socket.socket(socket.AF_UNIX) as gone:
            gone.bind(str(machine.home / "redis.sock"))
        assert only(check_redis(machine)).level == "error"


class Other(http.server.BaseHTTPRequestHandler):
    """A service of another release, on a machine whose clock is a minute slow."""

    health: ClassVar = {"status": "ok", "database": "ok", "redis": "ok", "version": "0.0.1"}

    def do_GET(self) -> None:
        self.send_response_only(200)
        self.send_header("Date", formatdate(time.time() - 60, usegmt=True))
        self.end_headers()
        self.wfile.write(json.dumps(self.health).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def other_service() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


class TestService:
    def test_one_that_runs_here(self, machine: Machine, service):
        here = having(machine, PHYLON_API_URL=service.url)
        assert only(check_service(here)).level == only(check_clock(here)).level == "ok"
        assert only(check_port(here, service.port)).message == f"a Phylon service listens on {service.port}"

    def test_workers(self, machine: Machine, service, worker):
        finding = only(check_workers(having(machine, PHYLON_API_URL=service.url)))
        assert finding.level == "ok" and "registered" in finding.message

    def test_a_wrong_address(self, machine: Machine):
        wrong = having(machine, PHYLON_API_URL="http://127.0.0.1:9")
        assert only(check_service(wrong)).level == "error"
        assert check_clock(wrong) == check_workers(wrong) == []
        assert only(check_service(having(machine, PHYLON_API_URL="elsewhere"))).level == "error"

    def test_another_release_by_another_clock(self, machine: Machine, other_service: str):
        there = having(machine, PHYLON_API_URL=other_service)
        finding = only(check_service(there))
        assert finding.level == "warning" and f"has Phylon 0.0.1, this machine {version('phylon')}" in finding.message
        clock = only(check_clock(there))
        assert clock.level == "error" and "ahead of the service's" in clock.message and "NTP" in (clock.remedy or "")

    def test_a_service_that_lost_its_database(
        self, machine: Machine, other_service: str, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(Other, "health", Other.health | {"database": "unavailable"})
        finding = only(check_service(having(machine, PHYLON_API_URL=other_service)))
        assert finding.level == "error" and "cannot reach its database" in finding.message

    def test_a_port_that_another_program_has(self, machine: Machine):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
            thread = threading.Thread(target=server.handle_request)
            thread.start()
            finding = only(check_port(machine, server.server_address[1]))
            thread.join()
        assert finding.level == "warning" and "another program listens" in finding.message


def test_the_command(tmp_path: Path, machine: Machine):
    """On a machine where nothing works; no check ends the others."""
    (tmp_path / "jax.py").write_text("raise ImportError('broken')")
    (tmp_path / "worker-token").touch(0o644)
    environment = os.environ | {
        "PHYLON_HOME": str(tmp_path),
        "PHYLON_API_URL": "http://127.0.0.1:9",
        "PHYLON_REDIS_URL": "redis://127.0.0.1:9",
        "PHYLON_DATABASE_URL": "postgresql://127.0.0.1:9/phylon",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "phylon", "doctor", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (1, "")
    findings = json.loads(done.stdout)
    levels = {finding["check"]: finding["level"] for finding in findings}
    broken = ("jax", "database", "redis", "service", "permissions")
    assert {check: levels[check] for check in broken} == dict.fromkeys(broken, "error")
    assert levels["python"] == levels["packages"] == "ok"
    assert all((finding["remedy"] is None) == (finding["level"] == "ok") for finding in findings)


def test_a_check_that_fails_does_not_hide_the_others(machine: Machine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("phylon.doctor.CHECKS", (lambda machine: 1 / 0, check_python))
    failed, python = examine(machine)
    assert failed.level == "error" and "ZeroDivisionError" in failed.message
    assert python.level == "ok"
