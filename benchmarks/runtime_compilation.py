"""What a population's size adds to the time of compiling a run: all that is traced, lowered and compiled before the
first selection, with an empty cache and the strategy known, by algorithm and strategy.

Counted is processor time, of all threads: on a machine that does other things too, the clock says nothing. Each size is
measured twice, in turns, and the lesser time counts.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.report import Bar

ALGORITHMS = ("td3", "sac")
STRATEGIES = ("vectorized", "sharded")
FEW, MANY, LIMIT = 1, 16, 1.3
ROUNDS = 2
STEPS = 400
"""Two segments of learning and one selection."""


def bars() -> list[Bar]:
    found: list[Bar] = []
    for algorithm in ALGORITHMS:
        for strategy in STRATEGIES:
            turns = [[_in_own_process(algorithm, strategy, members) for members in (FEW, MANY)] for _ in range(ROUNDS)]
            few, many = (min(each, key=lambda stages: sum(stages.values())) for each in zip(*turns, strict=True))
            what = f"compile time at P = {MANY} over P = {FEW}, {algorithm.upper()}, `{strategy}`"
            raw = f"{sum(many.values()):.1f} s against {sum(few.values()):.1f} s of processor time; " + ", ".join(
                f"{stage} {many[stage]:.1f} against {few[stage]:.1f}" for stage in sorted(many)
            )
            found.append(Bar(what, LIMIT, sum(many.values()) / sum(few.values()), raw, is_ceiling=True))
    return found


def _in_own_process(algorithm: str, strategy: str, members: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.runtime_compilation", algorithm, strategy, str(members), folder]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(said.splitlines()[-1])


def spec(algorithm: str, strategy: str, members: int) -> dict[str, Any]:
    return {
        **{"version": 2, "name": "compilation", "environment": "Pendulum-v1", "seed": 0},
        "algorithm": {
            **{"name": algorithm, "batch_size": 256, "network": {"hidden": [256, 256]}},
            "discount": {"uniform": [0.97, 0.99]},
        },
        "population": {"size": members, "method": "pbt" if members > 1 else "independent"},
        "replay": {"capacity": 1000, "warmup": STEPS // 2},
        "budget": STEPS,
        "evaluation": {"interval": STEPS, "episodes": 1},
        "execution": {"strategy": strategy},
    }


def compile_all(algorithm: str, strategy: str, members: int, folder: Path) -> dict[str, float]:
    """In this process: seconds of processor time by stage."""
    from phylon.run_directory import RunRequest, open_run
    from phylon.spec import ExperimentSpec, parse_document, spec_to_json
    from phylon.worker.training.process import prepare

    os.environ["PHYLON_COMPILE_CACHE"] = str(folder / "cache")
    resolved = parse_document(spec(algorithm, strategy, members))
    assert isinstance(resolved, ExperimentSpec)
    prepare(resolved)
    import jax

    from phylon.worker.core.commands import Commands
    from phylon.worker.execution.compilation import COMPILATION_EVENTS
    from phylon.worker.training.session import train

    seconds, began = dict[str, float](), dict[str, float]()

    def begin(event: str, value: float, **kwargs: str | int) -> None:
        if event.startswith(COMPILATION_EVENTS):
            began[event] = time.process_time()

    def end(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event in began:
            stage = event.removeprefix(COMPILATION_EVENTS).removesuffix("_duration")
            seconds[stage] = seconds.get(stage, 0.0) + time.process_time() - began.pop(event)

    jax.monitoring.register_scalar_listener(begin)
    jax.monitoring.register_event_duration_secs_listener(end)
    run = folder / "run"
    open_run(run, RunRequest(run_id=None, seed=0, spec=spec_to_json(resolved)))
    train(run, resolved, 0, Commands(), folder / "strategies")
    return seconds


if __name__ == "__main__":
    name, how, count, place = sys.argv[1:]
    print(json.dumps(compile_all(name, how, int(count), Path(place))))
