"""CEM-RL beside TD3 at equal joint environment steps, through the whole training loop."""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from phylon.contract.events import Finished, Metrics
from phylon.run_directory import RunRequest, spool_path, write_run
from phylon.spec import parse_spec
from phylon.spool import SpoolReader
from phylon.worker.core.commands import Commands
from phylon.worker.training.session import train

MEMBERS, EPISODES, SEEDS = 10, 5, 5


class Task(NamedTuple):
    id: str
    joint_steps: int
    interval: int
    """Steps per member of CEM-RL between two draws."""
    ratio: float
    """Updates per joint step."""


TASKS = (Task("Pendulum-v1", 20_000, 200, 1.0), Task("MountainCarContinuous-v0", 50_000, 500, 0.2))


class NoCommands(Commands):
    def __init__(self) -> None:
        self.wanted = None


def spec_of(task: Task, size: int, method: dict[str, Any]) -> dict[str, Any]:
    steps = task.joint_steps // size
    return {
        "name": "weight-search",
        "environment": {"suite": "gymnasium", "id": task.id},
        "algorithm": {
            "name": "td3",
            "batch_size": 64,
            "network": {"hidden": [64, 64]},
            "policy_learning_rate": 1e-3,
            "critic_learning_rate": 1e-3,
        },
        "population": {"size": size, "method": method},
        "replay": {
            "sharing": "shared",
            "capacity": task.joint_steps,
            "ratio": task.ratio * size,
            "warmup": 1000 // size,
        },
        "budget": {"env_steps": steps},
        "evaluation": {"interval": task.interval * MEMBERS // size, "episodes": EPISODES, "final": 50},
        "metrics": {"interval": steps},
        "checkpoint": {"interval": steps},
        "execution": {"segment_steps": 50},
    }


class Final(NamedTuple):
    """Returns in episodes that no selection saw."""

    winner: float
    centre: float | None
    """Of the mean policy, where there is one."""


def final_returns(spec: dict[str, Any], seed: int) -> Final:
    with tempfile.TemporaryDirectory() as folder:
        run_dir = Path(folder) / "run"
        write_run(run_dir, RunRequest(run_id=None, seed=seed, spec=spec))
        outcome = train(run_dir, parse_spec(spec), seed, NoCommands(), Path(folder) / "strategies")
        assert outcome == "finished", outcome
        events = SpoolReader(spool_path(run_dir)).read()
    finished = events[-1]
    assert isinstance(finished, Finished) and finished.final is not None
    frames = next(event.frames for event in events if isinstance(event, Metrics) and "final/return" in event.frames)
    centre = frames.get("population/final_mean_policy_return")
    return Final(finished.final.mean, centre[0] if centre else None)


def rows() -> list[list[str]]:
    lines: list[list[str]] = []
    for task in TASKS:
        alone = spec_of(task, 1, {"name": "independent"})
        search = spec_of(task, MEMBERS, {"name": "cem_rl", "interval": task.interval})
        td3 = [final_returns(alone, seed).winner for seed in range(SEEDS)]
        cem = [final_returns(search, seed) for seed in range(SEEDS)]
        means = [final.centre for final in cem if final.centre is not None]
        named = {"TD3": td3, "CEM-RL, mean policy": means, "CEM-RL, winner": [final.winner for final in cem]}
        lines += [row(task, name, values, td3) for name, values in named.items()]
    return lines


def row(task: Task, name: str, values: list[float], td3: list[float]) -> list[str]:
    ahead = (sum(values) - sum(td3)) / SEEDS
    returns = ", ".join(f"{value:.0f}" for value in values)
    return [task.id, f"{task.joint_steps:,}", name, returns, "" if values is td3 else f"{ahead:+.0f}"]
