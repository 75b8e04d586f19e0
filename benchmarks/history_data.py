"""The databases that `benchmarks.history` asks: many experiments, one very long run, and one that goes on."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import func, insert, inspect, select, text
from sqlalchemy.orm import Session
from starlette.testclient import TestClient

from phylon.backend.app import create_app
from phylon.backend.context import Context
from phylon.backend.jobs import service as jobs
from phylon.backend.jobs.status import dispatch_all
from phylon.backend.kit import clock
from phylon.backend.metrics import history, sparkline
from phylon.backend.metrics.frames import pack
from phylon.backend.metrics.repository import Tick
from phylon.backend.migrate import migrate
from phylon.backend.models import (
    Base,
    Event,
    Experiment,
    Job,
    MetricAxis,
    MetricColumn,
    MetricSummary,
    MetricTick,
    Run,
    Worker,
)
from phylon.backend.settings import Settings
from phylon.contract.protocol import ClaimRequest, ResumeRequest

REPLICATES, MEMBERS = 3, 80
LONG_RUN = 4
AT_ONCE = 4096
METRICS = (MetricTick, MetricAxis, MetricColumn, MetricSummary)


class Store(NamedTuple):
    name: str
    context: Context
    client: TestClient
    running_job: int


def open_store(name: str, url: str, folder: Path) -> Store:
    """With one experiment whose first run is held by a worker."""
    migrate(url)
    settings = Settings(database_url=url, artifacts=folder, frontend=folder / "none", redis_url="redis://127.0.0.1:9/0")
    app = create_app(settings)
    return Store(name, app.state.context, TestClient(app, base_url="http://127.0.0.1:8787"), 1)


def fill(store: Store, yaml: str, ticks: int, experiments: int, like: Store | None = None) -> None:
    """All but the first experiment are copies of it. With `like`, the long history is taken from there."""
    answer = store.client.post("/api/v1/experiments", json={"yaml": f"{yaml}\nreplicates: {REPLICATES}\n"})
    assert answer.status_code == 201 and len(answer.json()["runs"]) == REPLICATES, answer.text
    best = np.sort(np.random.default_rng(0).normal(size=300)).astype(np.float32)
    curve = sparkline.draw(best)
    done = {"sparkline": pack(curve.values), "evaluations": curve.evaluations, "step": 5000, "best_return": 3.0}
    with store.context.database.write() as session:
        experiment, job, run = (_plain(session, model) for model in (Experiment, Job, Run))
        numbers = range(2, experiments + 1)
        session.execute(insert(Experiment), [experiment | {"id": n, "name": f"experiment {n}"} for n in numbers])
        places = [
            (REPLICATES * (n - 1) + replicate + 1, n, replicate) for n in numbers for replicate in range(REPLICATES)
        ]
        session.execute(insert(Job), [job | {"id": id, "status": "finished"} for id, _, _ in places])
        owned = ({"id": id, "job_id": id, "experiment_id": n, "replicate": replicate} for id, n, replicate in places)
        session.execute(insert(Run), [run | done | each for each in owned])
        _hold(session, store)
    if like is None:
        _write_history(store, ticks)
    else:
        _copy_history(like, store)
    with store.context.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))


def _plain(session: Session, model: type[Base]) -> dict[str, Any]:
    row = session.scalars(select(model).order_by(inspect(model).primary_key[0]).limit(1)).one()
    return {column.key: getattr(row, column.key) for column in inspect(model).column_attrs}


def _hold(session: Session, store: Store) -> None:
    worker = Worker(
        name="w",
        device="cpu",
        device_name="",
        device_count=1,
        memory_bytes=2**34,
        versions={},
        suites=["gymnasium"],
        algorithms=["td3"],
        methods=["pbt"],
        last_seen_at=clock.now(),
        registered_at=clock.now(),
    )
    session.add(worker)
    session.flush()
    dispatch_all(session, [1], clock.now(), {1: {"worker_id": worker.id, "slots": [0]}})
    jobs.claim(session, store.context, 1, ClaimRequest(worker_id=worker.id))
    jobs.resume(session, store.context, 1, ResumeRequest(attempt=1, from_seq=0))


def _write_history(store: Store, ticks: int) -> None:
    """Noisy curves that rise, through the code that compacts what workers report."""
    rng = np.random.default_rng(1)
    for start in range(0, ticks, AT_ONCE):
        numbers = range(start, min(ticks, start + AT_ONCE))
        level = 3000 * np.sqrt(np.arange(numbers.start, numbers.stop) / ticks)
        values = (level[:, np.newaxis] + rng.normal(0, 150, (len(numbers), MEMBERS))).astype(np.float32)
        with store.context.database.write() as session:
            fresh = [
                Tick(n, 10 * n, 0.37 * n, {"evaluation/return": row}) for n, row in zip(numbers, values, strict=True)
            ]
            history.add(session, LONG_RUN, fresh)
            stamp = {"job_id": LONG_RUN, "attempt": 1, "kind": "metrics", "payload": None}
            session.execute(insert(Event), [stamp | {"seq": n, "step": 10 * n, "wall": 0.37 * n} for n in numbers])


def _copy_history(source: Store, target: Store) -> None:
    for model in (*METRICS, Event):
        with source.context.database.read() as reader, target.context.database.write() as writer:
            owner = model.job_id == LONG_RUN if model is Event else model.run_id == LONG_RUN  # type: ignore[union-attr]
            statement = select(*inspect(model).columns).where(owner).execution_options(yield_per=200)
            for page in reader.execute(statement).mappings().partitions(200 if model is MetricColumn else 5000):
                writer.execute(insert(model), [dict(row) for row in page])


def stored_bytes(store: Store) -> float:
    """Of the long run's history: ticks, rows, pyramid, summaries, events and all of their indices."""
    tables = [model.__tablename__ for model in (*METRICS, Event)]
    with store.context.database.read() as session:
        if session.get_bind().dialect.name == "postgresql":
            return float(sum(session.scalar(text(f"SELECT pg_total_relation_size('{name}')")) or 0 for name in tables))
        pages = session.scalar(text("PRAGMA page_count")) or 0
        size = session.scalar(text("PRAGMA page_size")) or 0
        others = session.scalar(select(func.sum(func.length(Experiment.yaml) + func.length(Experiment.spec)))) or 0
        return float(pages * size - others)


def burst(start: int, ticks: int, members: int, names: int) -> bytes:
    """A heartbeat as a worker sends it."""
    rng = np.random.default_rng(start)
    events = [
        {
            **{"kind": "metrics", "seq": seq, "step": 10 * seq, "wall": 0.1 * seq},
            "frames": {f"loss/{name}": rng.normal(size=members).tolist() for name in range(names)},
        }
        for seq in range(start, start + ticks)
    ]
    return json.dumps({"attempt": 1, "events": events, "logs": []}).encode()
