"""CEM-RL beside TD3 at equal joint environment steps, through the whole training loop."""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from phylon.contract.events import Metrics
from phylon.run_directory import RunRequest, spool_path, write_run
from phylon.spec import parse_spec
from phylon.spool import SpoolReader
from phylon.worker.core.commands import Commands
from phylon.worker.training.session import train

MEMBERS, EPISODES, SEEDS = 10, 5, 3


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
        "version": 1,
        "name": "weight-search",
        "kind": "training",
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
        "evaluation": {"interval": task.interval * MEMBERS // size, "episodes": EPISODES},
        "metrics": {"interval": steps},
        "checkpoint": {"interval": steps},
        "execution": {"segment_steps": 50},
    }


def last_evaluation(spec: dict[str, Any], seed: int) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        run_dir = Path(folder) / "run"
        write_run(run_dir, RunRequest(run_id=None, seed=seed, spec=spec))
        outcome = train(run_dir, parse_spec(spec), seed, NoCommands(), Path(folder) / "strategies")
        assert outcome == "finished", outcome
        events = SpoolReader(spool_path(run_dir)).read()
    frames = [event.frames for event in events if isinstance(event, Metrics) and "evaluation/return" in event.frames]
    return frames[-1]


def rows() -> list[list[str]]:
    lines: list[list[str]] = []
    for task in TASKS:
        alone = spec_of(task, 1, {"name": "independent"})
        search = spec_of(task, MEMBERS, {"name": "cem_rl", "interval": task.interval})
        td3 = [last_evaluation(alone, seed)["evaluation/return"][0] for seed in range(SEEDS)]
        cem = [last_evaluation(search, seed) for seed in range(SEEDS)]
        best = [max(frames["evaluation/return"]) for frames in cem]
        mean = [frames["population/mean_policy_return"][0] for frames in cem]
        named = {"TD3": td3, "CEM-RL, mean policy": mean, "CEM-RL, best member": best}
        lines += [row(task, name, values, td3) for name, values in named.items()]
    return lines


def row(task: Task, name: str, values: list[float], td3: list[float]) -> list[str]:
    ahead = (sum(values) - sum(td3)) / SEEDS
    returns = ", ".join(f"{value:.0f}" for value in values)
    return [task.id, f"{task.joint_steps:,}", name, returns, "" if values is td3 else f"{ahead:+.0f}"]
