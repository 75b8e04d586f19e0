"""Tables in Markdown, the bars that benchmarks have to reach, and the machine that they were measured on."""

import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from phylon.worker.studies.machine import processor_name

DOCS = Path(__file__).parents[1] / "docs" / "benchmarks"
ROWS = Path(__file__).parent / "results"
"""Raw results of the long benchmarks, kept with the sources: one JSON object a line, in the order of measuring."""


def rows_file(name: str) -> Path:
    return ROWS / f"{name}.jsonl"


def read_rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def append_row(file: Path, row: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as open_file:
        open_file.write(json.dumps(row) + "\n")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


class Bar(NamedTuple):
    """A limit that a benchmark has to meet: a ratio within one run, with the raw numbers that it comes from."""

    what: str
    limit: float | None
    """None for a number that is only reported."""
    found: float
    raw: str
    is_ceiling: bool = False
    """Whether the number must stay below the limit instead of above it."""
    unit: str = "x"

    @property
    def is_reached(self) -> bool:
        if self.limit is None:
            return True
        return self.found <= self.limit if self.is_ceiling else self.found >= self.limit


def bar_table(bars: list[Bar]) -> str:
    rows = [
        [
            bar.what,
            "" if bar.limit is None else f"{'≤' if bar.is_ceiling else '≥'} {bar.limit:g}{bar.unit}",
            f"**{bar.found:.3g}{bar.unit}**",
            "" if bar.limit is None else "yes" if bar.is_reached else "**no**",
            bar.raw,
        ]
        for bar in bars
    ]
    return table(["what", "must reach", "measured", "reached", "raw"], rows)


def machine() -> str:
    cores = len(os.sched_getaffinity(0))
    return f"{processor_name()}, {cores} cores; Python {platform.python_version()}, JAX {version('jax')}"


def write(name: str, text: str) -> None:
    DOCS.mkdir(parents=True, exist_ok=True)
    (DOCS / f"{name}.md").write_text(text)
    print(text)
