"""Training end to end on HalfCheetah-v5: beside Stable-Baselines3 and SBX, and where our own time goes."""

import statistics
import subprocess
from pathlib import Path
from typing import Any

from benchmarks import own_run
from benchmarks.own_run import Frames
from benchmarks.report import Bar

MEMBERS, WARMUP, INTERVAL, LOOK, ROUNDS = 8, 500, 10_000, 500, 3
TUNED = {"discount": {"uniform": [0.97, 0.99]}}
RIVALS = {"sb3": ("Stable-Baselines3", 2.5), "sbx": ("SBX", 2.0)}


def spec(algorithm: str, members: int, steps: int, interval: int) -> dict[str, Any]:
    return {
        **{"version": 1, "name": "runtime", "kind": "training"},
        "environment": {"suite": "gymnasium", "id": "HalfCheetah-v5"},
        "algorithm": {"name": algorithm, "batch_size": 256, "network": {"hidden": [256, 256]}, **TUNED},
        "population": {
            "size": members,
            "method": {"name": "pbt", "interval": interval} if members > 1 else {"name": "independent"},
        },
        "replay": {"capacity": 20_000, "ratio": 1.0, "warmup": WARMUP},
        "budget": {"env_steps": steps},
        "evaluation": {"interval": interval, "episodes": 1},
        "metrics": {"interval": LOOK},
        "checkpoint": {"interval": interval},
    }


def train(raw: dict[str, Any], cache: Path) -> list[Frames]:
    """All frames of a run with this compile cache."""
    return own_run.frames_of(own_run.train(raw, PHYLON_COMPILE_CACHE=str(cache)))


def speed(frames: list[Frames]) -> float:
    """Steps of all members a second, after the warm-up and after the first look at what was learned."""
    rates = [frame["speed/env_steps_per_second"][0] for frame in frames if "speed/env_steps_per_second" in frame]
    return statistics.median(rates[WARMUP // LOOK + 1 :])


def rival(python: str, library: str, algorithm: str) -> float:
    command = [python, "-m", "benchmarks.runtime_rivals", library, algorithm]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1])


def beside_rivals(python: str, cache: Path) -> list[Bar]:
    found: list[Bar] = []
    for algorithm in ("td3", "sac"):
        rates: dict[str, list[float]] = {"ours": [], **{library: [] for library in RIVALS}}
        train(spec(algorithm, MEMBERS, 1000, 1000), cache)  # compiles, and lets `auto` measure
        for _ in range(ROUNDS):  # in turns, so that a busy moment hits all
            rates["ours"].append(speed(train(spec(algorithm, MEMBERS, 3000, 3000), cache)))
            for library in RIVALS:
                rates[library].append(rival(python, library, algorithm))
            print(rates, flush=True)
        ours = statistics.median(rates["ours"])
        for library, (name, limit) in RIVALS.items():
            theirs = statistics.median(rates[library])
            raw = f"{_listed(rates['ours'])} member-steps/s against {_listed(rates[library])} steps/s"
            found.append(
                Bar(
                    f"{algorithm.upper()} end to end, P = {MEMBERS}, against one agent of {name}",
                    limit,
                    ours / theirs,
                    raw,
                )
            )
    return found


def budget_of_time(cache: Path) -> tuple[Bar, str]:
    """The share of a run that selection costs, and all phases, over one interval."""
    frames = train(spec("td3", MEMBERS, INTERVAL + LOOK, INTERVAL), cache)
    spent: dict[str, float] = {}
    for frame in frames:
        for name, values in frame.items():
            if name.startswith("time/") and name != "time/compile":
                spent[name[5:]] = spent.get(name[5:], 0.0) + values[0]
    total = sum(spent.values())
    share = 100 * (spent["evolve"] + spent["other"]) / total
    raw = f"evolve {spent['evolve']:.2f} s and time outside of all phases {spent['other']:.2f} s of {total:.0f} s"
    bar = Bar(
        f"evolve, lineage and events of the wall time, interval {INTERVAL:,}", 1, share, raw, is_ceiling=True, unit=" %"
    )
    return bar, ", ".join(f"{name} {100 * seconds / total:.1f} %" for name, seconds in spent.items() if seconds)


def _listed(values: list[float]) -> str:
    return ", ".join(f"{value:.0f}" for value in values)
