"""What updates of a population cost: our `auto` beside PyTorch and our own `vmap`, as runtime studies."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.report import Bar
from phylon import study
from phylon.spec import parse_study
from phylon.study import Measurement
from phylon.study_table import Row, rows
from phylon.worker.studies.conductor import run
from phylon.worker.studies.machine import this_machine

DENSE = {
    **{"version": 1, "name": "dense", "kind": "runtime_study", "algorithms": ["td3", "sac"]},
    **{
        "frameworks": ["jax", "torch"],
        "strategies": ["sequential", "parallel", "vectorized", "auto"],
        "population_sizes": [8, 16],
    },
    **{"fused_updates": [50], "batch_sizes": [256], "hidden": [[256, 256]], "repeats": 7, "seconds": 6.0},
}
PIXELS = {
    **{"version": 1, "name": "pixels", "kind": "runtime_study", "algorithms": ["dqn"]},
    **{"frameworks": ["jax", "torch"], "strategies": ["sequential", "auto"], "population_sizes": [4]},
    **{"fused_updates": [10], "batch_sizes": [32], "hidden": [[512]], "repeats": 7, "seconds": 10.0},
}


class Progress:
    """Shows what happens; the study's file holds what was found."""

    def progress(self, text: str) -> None:
        print(text, flush=True)

    def measured(self, measurements: Sequence[Measurement]) -> None:
        pass


def measure(raw: dict[str, Any]) -> tuple[Measurement, ...]:
    spec = parse_study(raw)
    with tempfile.TemporaryDirectory() as name:
        folder, machine = Path(name), this_machine()
        study.begin(folder / study.STUDY_FILE, spec, machine)
        run(spec, machine, folder, Progress())
        return study.read(folder / study.STUDY_FILE).measurements


def table(measurements: tuple[Measurement, ...]) -> str:
    def cells(row: Row) -> list[str]:
        found = row.measurement
        who = [found.algorithm, str(found.population_size), found.contender]
        if found.median is None:
            return [*who, found.status, "", "", found.reason or ""]
        return [
            *who,
            f"{found.median:.2f}",
            f"{found.low:.2f} to {found.high:.2f}",
            f"{row.speedup:.2f}x" if row.speedup else "",
            (found.note or "").partition(":")[0],
        ]

    header = ["algorithm", "members", "contender", "ms", "quartiles", "against torch sequential", ""]
    return report.table(header, [cells(row) for row in rows(measurements, "torch sequential")])


def bars(measurements: tuple[Measurement, ...], rival: str, limit: float) -> list[Bar]:
    """`auto` against a rival, for each algorithm and population."""
    medians = {(m.algorithm, m.population_size, m.contender): m.median for m in measurements}
    found: list[Bar] = []
    for algorithm, size in dict.fromkeys((m.algorithm, m.population_size) for m in measurements):
        ours, theirs = medians[algorithm, size, "jax auto"], medians[algorithm, size, rival]
        assert ours and theirs, "a contender failed; see the table"
        raw = f"{ours:.1f} ms against {theirs:.1f} ms"
        found.append(Bar(f"{algorithm.upper()} update, P = {size}, `auto` against {rival}", limit, theirs / ours, raw))
    return found
