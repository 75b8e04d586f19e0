"""A study as a table: what each contender costs, and how many times faster than a baseline it is."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from phylon.study import Measurement

CSV_COLUMNS = (
    *("algorithm", "framework", "strategy", "compiled", "population_size", "fused_updates", "batch_size", "hidden"),
    *("status", "median", "low", "high", "speedup", "compile_seconds", "peak_memory_bytes", "processes", "calls"),
    *("milliseconds", "reason", "note"),
)


class Row(NamedTuple):
    measurement: Measurement
    speedup: float | None
    """Times faster than the baseline at the same work; None without both numbers."""


def default_baseline(measurements: Iterable[Measurement]) -> str | None:
    """What people use today, where it was measured: PyTorch, one member after the other."""
    contenders = list(dict.fromkeys(measurement.contender for measurement in measurements))
    for wanted in ("torch sequential", "jax sequential"):
        if wanted in contenders:
            return wanted
    return contenders[0] if contenders else None


def rows(measurements: Sequence[Measurement], baseline: str | None) -> list[Row]:
    base = {m.work: m.median for m in measurements if m.contender == baseline}

    def speedup(measurement: Measurement) -> float | None:
        reference = base.get(measurement.work)
        return reference / measurement.median if reference and measurement.median else None

    return [Row(measurement, speedup(measurement)) for measurement in measurements]


def to_csv(measurements: Sequence[Measurement], baseline: str | None) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in rows(measurements, baseline):
        fields: dict[str, Any] = row.measurement.model_dump(mode="json") | {"speedup": row.speedup}
        fields["hidden"] = "x".join(map(str, row.measurement.hidden))
        fields["milliseconds"] = " ".join(f"{value:.6g}" for value in row.measurement.milliseconds)
        writer.writerow([fields[name] for name in CSV_COLUMNS])
    return text.getvalue()
