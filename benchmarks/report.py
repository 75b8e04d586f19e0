"""Tables in Markdown, with the machine that they were measured on."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs" / "benchmarks"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def machine() -> str:
    processor = next(
        (line.split(":", 1)[1].strip() for line in _cpuinfo() if line.startswith("model name")), platform.processor()
    )
    cores = len(os.sched_getaffinity(0))
    return f"{processor}, {cores} cores; Python {platform.python_version()}, JAX {version('jax')}"


def write(name: str, text: str) -> None:
    DOCS.mkdir(parents=True, exist_ok=True)
    (DOCS / f"{name}.md").write_text(text)
    print(text)


def _cpuinfo() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text().splitlines()
    except FileNotFoundError:
        return []
