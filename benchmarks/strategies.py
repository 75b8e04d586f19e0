"""What a population update of TD3 costs under each execution strategy: a runtime study, written as a table.

The work of fastpbrl's Figure 2: 17 observations, 6 actions, two hidden layers of 256, batch 256, 50 updates a call.
"""

import tempfile
from pathlib import Path

from benchmarks import report
from phylon import study
from phylon.spec import parse_study
from phylon.study_table import Row, rows
from worker.studies.conductor import run
from worker.studies.folder import open_study
from worker.studies.machine import this_machine

SPEC = parse_study(
    {
        **{"version": 1, "name": "strategies", "kind": "runtime_study", "algorithms": ["td3"]},
        **{"strategies": ["sequential", "vectorized", "sharded"], "population_sizes": [1, 2, 4, 8, 16]},
        **{"fused_updates": [50], "batch_sizes": [256], "hidden": [[256, 256]], "repeats": 7},
    }
)
HEADER = ["members", "strategy", "ms per member-update", "quartiles", "against sequential", "first call, s"]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, machine = Path(name), this_machine()
        open_study(folder, SPEC, machine)
        run(SPEC, machine, folder, lambda done, total, text: print(f"{done}/{total} {text}", flush=True))
        found = study.read(folder / study.STUDY_FILE).measurements
    table = report.table(HEADER, [_cells(row) for row in rows(found, "jax sequential")])
    report.write(
        "strategies",
        f"# Execution strategies, TD3\n\nWritten by `python -m benchmarks.strategies`. {report.machine()}.\n"
        "17 observations, 6 actions, hidden (256, 256), batch 256, 50 updates a call, policy delay 2, "
        f"median of {SPEC.repeats} interleaved rounds.\n\n{table}\n",
    )


def _cells(row: Row) -> list[str]:
    measurement, members = row.measurement, row.measurement.population_size
    if measurement.median is None or measurement.low is None or measurement.high is None:
        return [str(members), measurement.strategy, measurement.status, "", "", ""]
    return [
        str(members),
        measurement.strategy,
        f"{measurement.median / members:.2f}",
        f"{measurement.low / members:.2f} to {measurement.high / members:.2f}",
        f"{row.speedup or 0:.2f}x",
        f"{measurement.compile_seconds or 0:.1f}",
    ]


if __name__ == "__main__":
    main()
