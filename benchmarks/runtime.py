"""How fast Phylon is, as ratios within one run: the bars that it has to reach, with the raw numbers.

    python -m benchmarks.runtime --rivals RIVALS/bin/python

RIVALS is an environment of its own: see `benchmarks.runtime_rivals` for what it needs. Run it on a quiet machine; it
takes about half an hour. `--only updates,flops,…` measures some parts; the others keep their last results, in RESULTS.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import (
    report,
    runtime_compilation,
    runtime_flops,
    runtime_gymnax,
    runtime_platform,
    runtime_startup,
    runtime_training,
    runtime_updates,
)
from benchmarks.report import Bar

RESULTS = report.ROWS / "runtime.json"
NOTES = report.DOCS / "runtime-notes.md"
"""What was tried, and why a bar is not reached: written by hand, shown below the numbers."""


def part(bars: list[Bar], text: str = "") -> dict[str, Any]:
    return {"bars": [one._asdict() for one in bars], "text": text}


def updates() -> dict[str, Any]:
    dense, pixels = runtime_updates.measure(runtime_updates.DENSE), runtime_updates.measure(runtime_updates.PIXELS)
    found = [
        *runtime_updates.bars(dense, "torch sequential", 3),
        *runtime_updates.bars(dense, "jax vectorized", 1.8),
        *runtime_updates.bars(pixels, "torch sequential", 1.5),
    ]
    title = "## Updates\n\nMilliseconds of a population update, seven interleaved repeats."
    return part(found, f"{title}\n\n{runtime_updates.table((*dense, *pixels))}")


def training(rivals: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as cache:
        found = runtime_training.beside_rivals(rivals, Path(cache))
        share, phases = runtime_training.budget_of_time(Path(cache))
    return part([*found, share], f"## Where a run's time goes\n\nTD3, P = 8, ratio 1: {phases}.")


def gymnax() -> dict[str, Any]:
    raw = runtime_gymnax.ppo_gymnax()
    text = (
        f"{raw['population_steps_per_second']:,.0f} steps/s ({raw['population']['strategy']}) against "
        f"{raw['separate_steps_per_second']:,.0f} of a run of its own"
    )
    return part([Bar("PPO on gymnax CartPole, P = 16 in one program, against separate runs", 1.5, raw["ratio"], text)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rivals", metavar="PYTHON", help="an interpreter that has SB3 and SBX, for `training`")
    parser.add_argument("--only", default="", help="parts, with commas between")
    arguments = parser.parse_args()
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "updates": updates,
        "flops": lambda: part(runtime_flops.bars()),
        "training": lambda: training(arguments.rivals),
        "compilation": lambda: part(runtime_compilation.bars()),
        "gymnax": gymnax,
        "startup": lambda: part(runtime_startup.bars()),
        "platform": lambda: part([runtime_platform.bar()]),
        "memory": lambda: part(runtime_platform.memory()),
    }
    found: dict[str, dict[str, Any]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    names = arguments.only.split(",") if arguments.only else list(parts)
    if "training" in names and not arguments.rivals:
        parser.error("--rivals is missing; the part `training` needs it, and --only leaves parts out")
    for name in names:
        began = time.perf_counter()
        load = f"{report.machine()}; load {os.getloadavg()[1]:.0f}"
        found[name] = parts[name]() | {"measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M}", "machine": load}
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    report.write("runtime", page({name: found[name] for name in parts if name in found}))


def page(found: dict[str, dict[str, Any]]) -> str:
    bars = [Bar(**one) for part in found.values() for one in part["bars"]]
    texts = "\n\n".join(part["text"] for part in found.values() if part["text"])
    machines = dict.fromkeys(part["machine"] for part in found.values())
    ended = "\n".join(
        f"- {machine}: "
        + ", ".join(f"{name} {part['measured']}" for name, part in found.items() if part["machine"] == machine)
        for machine in machines
    )
    notes = NOTES.read_text() if NOTES.exists() else ""
    return (
        f"# Runtime\n\nWritten by `python -m benchmarks.runtime`. Each ratio is of numbers taken in turns, on one "
        f"machine. Parts, and when they ended (UTC):\n\n{ended}\n\n{report.bar_table(bars)}\n\n{texts}\n\n{notes}"
    )


if __name__ == "__main__":
    main()
