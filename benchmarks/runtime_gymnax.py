"""PPO on gymnax CartPole: one population of sixteen in one program, beside as many separate runs of one member.

    python -m benchmarks.runtime_gymnax

What counts is the speed of training once everything is compiled, evaluations included. Separate runs have the whole
machine, one after the other, so their steps per second are those of any one of them.
"""

import json
import statistics
from typing import Any, NamedTuple

from benchmarks import own_run

SIZE, ENVS, ROLLOUT = 16, 4, 128
FRAME = 20 * ENVS * ROLLOUT
"""Steps per member between two metrics frames, and between two evaluations."""
COMPILING_FRAMES = 2
"""The first evaluation comes after the first frame."""
MEASURED_FRAMES = 8


class Measured(NamedTuple):
    steps_per_second: list[float]
    """Environment steps of all members, frame by frame."""
    seconds: dict[str, float]
    """By phase, over all frames that count."""
    strategy: str


def spec(size: int, seed: int) -> dict[str, Any]:
    return {
        "version": 1,
        "name": "ppo-gymnax",
        "kind": "training",
        "seed": seed,
        "environment": {"suite": "gymnax", "id": "CartPole-v1", "envs_per_member": ENVS},
        "algorithm": {"name": "ppo", "rollout_steps": ROLLOUT, "epochs": 4, "minibatches": 4},
        "population": {"size": size, "method": {"name": "independent"}},
        "budget": {"env_steps": (COMPILING_FRAMES + MEASURED_FRAMES) * FRAME},
        "evaluation": {"interval": FRAME, "episodes": 10},
        "metrics": {"interval": FRAME},
        "checkpoint": {"interval": 1000 * FRAME},
        "execution": {"strategy": "auto"},
    }


def train(size: int, seed: int) -> Measured:
    events = own_run.train(spec(size, seed))
    frames = [frame for frame in own_run.frames_of(events) if "time/env" in frame]
    counted = frames[COMPILING_FRAMES:]
    return Measured(
        steps_per_second=[frame["speed/env_steps_per_second"][0] for frame in counted],
        seconds={
            name.removeprefix("time/"): sum(frame[name][0] for frame in counted)
            for name in counted[0]
            if name.startswith("time/")
        },
        strategy=next(event.strategy for event in events if event.kind == "started"),
    )


def ppo_gymnax(rounds: int = 3) -> dict[str, Any]:
    """Raw numbers; `ratio` is the one that has a bar. A round is one of the sixteen single runs, and the population."""
    singles, populations = zip(*[(train(1, seed), train(SIZE, seed)) for seed in range(rounds)], strict=True)
    together, apart = (
        statistics.median(speed for run in runs for speed in run.steps_per_second) for runs in (populations, singles)
    )
    return {
        "population": populations[0]._asdict(),
        "populations": [run._asdict() for run in populations],
        "singles": [run._asdict() for run in singles],
        "population_steps_per_second": together,
        "separate_steps_per_second": apart,
        "ratio": together / apart,
    }


def main() -> None:
    print(json.dumps(ppo_gymnax(), indent=2))


if __name__ == "__main__":
    main()
