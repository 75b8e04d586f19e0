"""A database as the release at schema 0005 left it: runs and studies in every status, with all that belongs to them.

Everything is written in that release's own words (`segments`, `best_fitness`), as plain rows.
"""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from alembic import command

from phylon.backend.kit.database import make_engine
from phylon.backend.migrate import configuration

REVISION = "0005"
STATUSES = ("queued", "dispatched", "running", "stopping", "finished", "stopped", "failed")
RUNS = {status: number for number, status in enumerate(STATUSES, start=1)}
STUDIES = {status: number for number, status in enumerate(STATUSES, start=1)}
UPLOADED = len(STATUSES) + 1
HIGHEST_RUN = 20
"""A run of this number was deleted."""
THEN = datetime(2026, 1, 2, 3, 4, 5)
SHA256 = "ab" * 32
SPEC: dict[str, Any] = {
    "version": 1,
    "name": "old",
    "kind": "training",
    "seed": 7,
    "environment": {"suite": "gymnasium", "id": "Pendulum-v1"},
    "algorithm": {"name": "td3", "batch_size": 16, "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]}},
    "population": {"size": 4, "method": {"name": "pbt", "interval": 400}},
    "replay": {"capacity": 4000, "ratio": 1.0, "warmup": 200},
    "budget": {"env_steps": 2000},
    "evaluation": {"interval": 200, "episodes": 1},
    "metrics": {"interval": 100},
    "checkpoint": {"interval": 400},
}
STUDY_SPEC: dict[str, Any] = {
    **{"version": 1, "name": "small", "description": "Few.", "kind": "runtime_study", "algorithms": ["td3"]},
    **{"frameworks": ["jax"], "strategies": ["sequential"], "torch_compile": False, "population_sizes": [1, 2]},
    **{"fused_updates": [50], "batch_sizes": [256], "hidden": [[256, 256]], "repeats": 7, "warmup_calls": 2},
    "seconds": 5.0,
}
MACHINE: dict[str, Any] = {
    **{"device": "cpu", "device_name": "a chip", "device_count": 1, "cores": 2, "memory_bytes": 8, "versions": {}}
}
MEASUREMENTS: list[dict[str, Any]] = [
    {
        **{"algorithm": "td3", "framework": "jax", "strategy": "sequential", "compiled": False},
        **{"population_size": size, "fused_updates": 50, "batch_size": 256, "hidden": [256, 256], "status": "ok"},
        **{"reason": None, "milliseconds": [1.0, 2.0], "median": 1.5, "low": 1.25, "high": 1.75, "calls": 1},
        **{"compile_seconds": 0.5, "peak_memory_bytes": 100, "processes": 1, "note": None},
    }
    for size in (1, 2)
]
ERROR = {"message": "it diverged", "remedy": "lower it", "member": 1, "hyperparams": {"policy_learning_rate": 0.5}}
HELD = ("running", "stopping")
BEGUN = ("running", "stopping", "finished", "stopped", "failed")


def write(url: str) -> None:
    engine = make_engine(url)
    if engine.dialect.name == "sqlite":
        Path(str(engine.url.database)).parent.mkdir(parents=True, exist_ok=True)
    command.upgrade(configuration(url), REVISION)
    tables = sa.MetaData()
    tables.reflect(engine)
    with engine.begin() as connection:

        def add(table: str, *rows: dict[str, Any]) -> None:
            connection.execute(sa.insert(tables.tables[table]), list(rows))

        add("workers", *(_worker(number) for number in (1, 2)))
        add("experiments", _experiment())
        for status, number in RUNS.items():
            _add_run(add, status, number)
        for status, number in STUDIES.items():
            _add_study(add, status, number)
        _add_study(add, "finished", UPLOADED, is_uploaded=True)
        add("runs", _run("finished", HIGHEST_RUN) | {"replicate": 99})
        connection.execute(sa.text(f"DELETE FROM runs WHERE id = {HIGHEST_RUN}"))
        if engine.dialect.name == "postgresql":  # numbers that were given by hand do not move its sequences
            highest = {"workers": 2, "experiments": 1, "runs": HIGHEST_RUN, "studies": UPLOADED, "artifacts": 100}
            for table, number in (highest | {"log_lines": 100}).items():
                connection.execute(sa.text(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {number})"))
    engine.dispose()


def _worker(number: int) -> dict[str, Any]:
    return {
        **{"id": number, "name": f"worker-{number}", "device": "cpu", "device_name": "a chip", "device_count": 2},
        **{"memory_bytes": 2**30, "host_memory_bytes": None, "versions": {"jax": "0.10.2"}},
        **{"suites": ["gymnasium"], "registered_at": THEN, "last_seen_at": THEN},
    }


def _experiment() -> dict[str, Any]:
    return {
        **{"id": 1, "name": "old", "spec": SPEC, "yaml": "# mine\n", "suite": "gymnasium", "group_id": None},
        **{"environment": "Pendulum-v1", "algorithm": "td3", "method": "pbt", "population_size": 4},
        "created_at": THEN,
    }


def _lease(status: str) -> dict[str, Any]:
    """The columns that runs and studies both had."""
    begun = status in BEGUN
    return {
        "status": status,
        "created_at": THEN,
        "dispatched_at": THEN if status == "dispatched" else None,
        "dispatched_to": "cpu" if status == "dispatched" else None,
        "attempt": 2 if begun else 0,
        "worker_id": 1 if begun else None,
        "worker_name": "worker-1" if begun else None,
        "lease_expires_at": THEN if status in HELD else None,
        "started_at": THEN if begun else None,
        "finished_at": THEN + timedelta(hours=1) if status in ("finished", "stopped", "failed") else None,
    }


def _run(status: str, number: int) -> dict[str, Any]:
    begun = status in BEGUN
    return {
        **{"id": number, "experiment_id": 1, "replicate": number - 1, "seed": 7, "population_size": 4},
        **{"total_steps": 2000, "max_attempts": 5, "handed_back": 1 if begun else 0},
        **_lease(status),
        **{"error": ERROR if status == "failed" else None, "last_seq": 4 if begun else -1},
        **{"step": 400 if begun else 0, "best_fitness": 3.0 if begun else None, "last_fitness": 2.0 if begun else None},
        **{"median_fitness": 1.5 if begun else None, "env_steps_per_second": 100.0 if begun else None},
        **{"strategy": "vectorized" if begun else None, "strategy_explanation": None, "devices": ["cpu:0"]},
    }


def _add_run(add: Any, status: str, number: int) -> None:
    add("runs", _run(status, number))
    if status not in BEGUN:
        return
    ended = status if status in ("finished", "stopped", "failed") else None
    first = {"run_id": number, "number": 1, "worker_id": 2, "claimed_at": THEN, "ended_at": THEN}
    add("attempts", first | {"end": "worker_shutdown", "detail": "", "rewound_to": 0, "next_log_line": 1})
    second = first | {"number": 2, "worker_id": 1, "ended_at": THEN if ended else None, "end": ended}
    add("attempts", second | {"detail": None, "rewound_to": 3, "next_log_line": 1})
    for attempt in (1, 2):
        line = {"run_id": number, "attempt": attempt, "line": 0, "wall": 0.5, "stream": "trainer"}
        place = {"id": 10 * number + attempt, "text": f"attempt {attempt}", "created_at": THEN}
        add("log_lines", line | place)
    file = {"run_id": number, "attempt": 1, "name": "000001.npz", "path": f"{number}/abab-000001.npz", "bytes": 4}
    add("artifacts", file | {"id": number, "sha256": SHA256, "step": 200, "created_at": THEN})
    segments = [_segment(slot) for slot in range(2)]
    film = {"member": 1, "segment": 1, "episode_return": 2.0, "episode_steps": 9, "ended": True}
    film |= {"file": "step-000000200-member-1.mp4", "bytes": 4, "sha256": SHA256}
    saved = {"number": 1, "file": "000001.npz", "bytes": 4, "sha256": SHA256}
    last = ("video", film) if ended != "finished" else ("finished", {"best_member": 0, "best_fitness": 3.0})
    reported: list[tuple[int, str, int, dict[str, Any] | None]] = [
        (1, "lineage", 0, {"segments": segments}),
        (1, "metrics", 200, None),
        (1, "checkpoint", 200, saved),
        (2, "metrics", 400, None),
        (2, last[0], 400, last[1]),
    ]
    for seq, (attempt, kind, step, fields) in enumerate(reported):
        stamp = {"seq": seq, "step": step, "wall": float(seq)}
        payload = None if fields is None else json.dumps({"kind": kind, **stamp, **fields})
        add("events", {"run_id": number, "attempt": attempt, "kind": kind, "payload": payload, **stamp})
        if fields is None:
            data = np.array([seq, 2.0], "<f4").tobytes()
            add("metric_frames", {"run_id": number, "name": "evaluation/return", "data": data, **stamp})
    for segment in segments:
        row = {"run_id": number, "seq": 0, "start_step": 0, "start_wall": 0.0, "end_step": None, "end_seq": None}
        add("segments", row | segment)


def _segment(slot: int) -> dict[str, Any]:
    return {
        **{"id": slot, "slot": slot, "parent": None, "operator": "founder", "changes": {}, "hyperparams_before": None},
        **{"hyperparams": {"policy_learning_rate": 1e-3}, "fitness": None, "parent_fitness": None, "rank": None},
        **{"weights": f"{slot:08x}", "reasons": {}},
    }


def _add_study(add: Any, status: str, number: int, *, is_uploaded: bool = False) -> None:
    done = 2 if status == "finished" else 1 if status in BEGUN else 0
    row = {
        **{"id": number, "name": "small", "description": "Few.", "spec": STUDY_SPEC, "total": 2, "done": done},
        **{"machine": MACHINE if done else None, "wanted_worker_id": 2 if status == "queued" else None},
        **_lease(status),
        **{"lost_attempts": 1 if status in BEGUN else 0, "progress": "td3" if status in HELD else None},
        "error": "no torch" if status == "failed" else None,
    }
    if is_uploaded:
        row |= {"attempt": 0, "worker_id": None, "worker_name": None, "started_at": None, "lost_attempts": 0}
    add("studies", row)
    for position, content in enumerate(MEASUREMENTS[:done]):
        add("study_measurements", {"study_id": number, "position": position, "content": content})
