"""How long the service takes for the first page of experiments, at 10,000 of them with 30,000 runs.

`python -m benchmarks.table [DATABASE_URL]` fills an empty database (SQLite in a temporary folder by default)
and prints a table of what was asked and the 95th percentile of the server's time, which must not exceed 60 ms.
"""

import json
import os
import random
import sys
import tempfile
import time
from datetime import timedelta
from typing import Any

from sqlalchemy import insert

from phylon.backend.accounts.viewer import LOCAL_OWNER, LOCAL_VIEWER
from phylon.backend.experiments import table, values
from phylon.backend.experiments.table import Wanted
from phylon.backend.kit import clock
from phylon.backend.kit.database import Database
from phylon.backend.migrate import migrate
from phylon.backend.models import Base, Experiment, ExperimentValue, Job, Run, Tag
from phylon.backend.models.job import NO_ASK
from phylon.presets import list_presets
from phylon.spec import ExperimentSpec, parse_document, read_yaml, spec_to_json

EXPERIMENTS, REPLICATES, REPEATS, PAGE = 10_000, 3, 12, 50
ASKED: dict[str, Wanted] = {
    "newest first": Wanted(),
    "sorted by final": Wanted(sort="-final"),
    "sorted by name": Wanted(sort="name"),
    "sorted by status": Wanted(sort="status"),
    "sorted by progress": Wanted(sort="-progress"),
    "sorted by owner": Wanted(sort="owner"),
    "sorted by end": Wanted(sort="-ended"),
    "sorted by a value of the spec": Wanted(sort="-spec.algorithm.batch_size"),
    "with three values of the spec": Wanted(
        columns=("spec.algorithm.batch_size", "spec.algorithm.discount", "spec.budget.env_steps")
    ),
    "a word": Wanted(query="cheetah"),
    "columns": Wanted(query="algorithm = td3 and env ~ cheetah and final > 3000 and tag = paper", sort="-final"),
    "a value of the spec": Wanted(query="algorithm.batch_size > 100 or population.size = 8", sort="-best"),
    "running": Wanted(query="status = running"),
    "finished, sorted by best": Wanted(query="status = finished", sort="-best"),
    "failed, and why": Wanted(query='status = failed and error ~ "out of memory"'),
}


def fill(database: Database) -> None:
    parsed = [(parse_document(read_yaml(preset.yaml)), preset.yaml) for preset in list_presets()]
    specs = [(spec, spec_to_json(spec), yaml) for spec, yaml in parsed if isinstance(spec, ExperimentSpec)]
    draw, began = random.Random(0), clock.now() - timedelta(days=100)
    rows: dict[type[Base], list[dict[str, Any]]] = {Experiment: [], Job: [], Run: [], ExperimentValue: [], Tag: []}
    for id in range(1, EXPERIMENTS + 1):
        spec, plain, yaml = draw.choice(specs)
        created, final = began + timedelta(minutes=14 * id), draw.uniform(-1000, 9000)
        owned = {"owner_id": LOCAL_OWNER.user_id, "project_id": LOCAL_OWNER.project_id, "created_at": created}
        rows[Experiment].append(
            {
                **owned,
                **{"id": id, "name": f"{spec.name}-{id}", "spec": plain, "yaml": yaml, "notes": ""},
                **{"suite": spec.environment.suite, "environment": spec.environment.id},
                **{"algorithm": spec.algorithm.name, "method": spec.population.method.name},
                **{"population_size": spec.population.size},
                **{"final_return": final, "best_return": final + 100, "last_return": final - 50},
            }
        )
        for replicate in range(REPLICATES):
            job = len(rows[Job]) + 1
            status = draw.choices(["finished", "stopped", "failed", "running", "queued"], [90, 4, 4, 1, 1])[0]
            error = {"message": draw.choice(["out of memory", "loss is NaN"]), "remedy": ""}
            rows[Job].append(
                {
                    **owned,
                    **{"id": job, "kind": "run", "status": status, "max_attempts": 5, "ask": NO_ASK, "labels": []},
                    **{"queued_at": created, "error": error if status == "failed" else None},
                    **{"finished_at": created + timedelta(hours=1) if status not in ("running", "queued") else None},
                }
            )
            rows[Run].append(
                {
                    **{"id": job, "job_id": job, "experiment_id": id, "replicate": replicate, "seed": replicate},
                    **{"population_size": spec.population.size, "total_steps": 1000, "step": draw.randrange(1001)},
                    **{"best_return": final, "last_return": final, "devices": [], "interruptions": []},
                }
            )
        for value in values.of_spec(plain):
            kept = {"path": value.path, "number": value.number, "text": value.text}
            rows[ExperimentValue].append({**kept, "experiment_id": id, "replicate": 0})
        if draw.random() < 0.05:
            rows[Tag].append({"experiment_id": id, "name": draw.choice(["paper", "baseline", "old"])})
    for model, those in rows.items():
        for start in range(0, len(those), 5000):
            with database.write() as session:
                session.execute(insert(model.__table__), those[start : start + 5000])
    with database.engine.connect() as connection:  # what both databases do by themselves after a while
        connection.exec_driver_sql("ANALYZE")
        connection.commit()


def measure(database: Database) -> dict[str, float]:
    """Milliseconds of the service, the 95th percentile: queries, rows and the answer's JSON."""
    found: dict[str, float] = {}
    for name, wanted in ASKED.items():
        times: list[float] = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            with database.read() as session:
                table.list_page(session, LOCAL_VIEWER, wanted, PAGE, None, 0).model_dump_json()
            times.append(1000 * (time.perf_counter() - began))
        found[name] = sorted(times)[int(0.95 * (REPEATS - 1))]
    return found


def main(url: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        address = url or f"sqlite:///{folder}/table.db"
        migrate(address)
        database = Database(address)
        fill(database)
        found = measure(database)
        print(f"{EXPERIMENTS:,} experiments, {EXPERIMENTS * REPLICATES:,} runs; load {os.getloadavg()[0]:.1f}")
        print(json.dumps({name: round(milliseconds, 1) for name, milliseconds in found.items()}, indent=1))
        database.dispose()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
