"""A population in several processes comes to the numbers of one process, to the last bit."""

import functools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phylon.contract.events import Lineage, Started
from phylon.launch import block_of
from phylon.run_directory import checkpoints_dir, latest_checkpoint

from ..training.runs import events_of, reproducible
from .conftest import arrays_of, begin, train_alone

TD3 = {
    "name": "td3",
    "batch_size": 8,
    "network": {"hidden": [8]},
    "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]},
    "discount": {"uniform": [0.9, 0.99]},
}
DQN = {
    "name": "dqn",
    "batch_size": 8,
    "network": {"kind": "mlp", "hidden": [8]},
    "learning_rate": {"log_uniform": [1e-4, 1e-2]},
}
PPO = {"name": "ppo", "network": {"hidden": [8]}, "learning_rate": {"log_uniform": [1e-4, 1e-2]}}
PPO |= {"epochs": 2, "minibatches": 2}
BASE: dict[str, Any] = {
    "version": 2,
    "name": "gang",
    "kind": "training",
    "environment": {"suite": "probe", "id": "ActionReward-v0"},
    "algorithm": TD3,
    "population": {"size": 4, "method": {"name": "pbt", "interval": 100}},
    "replay": {"capacity": 150, "ratio": 0.5, "warmup": 40},
    "budget": {"env_steps": 300},
    "evaluation": {"interval": 100, "episodes": 2, "final": 3},
    "metrics": {"interval": 60},
    "checkpoint": {"interval": 100},
    "execution": {"strategy": "sharded", "segment_steps": 20},
}
JOINT = {
    "algorithm": {name: value for name, value in TD3.items() if name != "discount"},  # it is the shared critic's
    "environment": BASE["environment"] | {"envs_per_member": 2},
    "replay": BASE["replay"] | {"sharing": "shared"},
    "execution": BASE["execution"] | {"strategy": "auto"},
}
COPYING = {
    "name": "pbt",
    "interval": 60,  # so that members move between the last two checkpoints
    "copying": {"replay": True},
    "fitness": {"name": "mean", "window": 2, "of": "training"},
}
SPECS: dict[str, dict[str, Any]] = {
    "everything that moves": {
        "algorithm": TD3 | {"observations": {"normalise": True}, "n_step": 2},
        "population": {"size": 13, "method": COPYING},
        "resets": {"interval": 70},
        "evaluation": BASE["evaluation"] | {"interval": 60},
        "execution": BASE["execution"] | {"strategy": "sequential"},
    },
    "rollouts on the device": {
        "environment": {"suite": "gymnax", "id": "CartPole-v1", "envs_per_member": 2},
        "algorithm": PPO | {"rollout_steps": 10, "observations": {"normalise": True}},
        "population": {"size": 4, "method": {"name": "pbt", "interval": 100}},
        "replay": None,
        "execution": {"strategy": "sharded"},
    },
    "replay on the device": {
        "environment": {"suite": "gymnax", "id": "CartPole-v1", "envs_per_member": 2},
        "algorithm": DQN | {"observations": {"normalise": True}, "n_step": 2},
        "population": {"size": 4, "method": COPYING},
        "replay": BASE["replay"] | {"placement": "device"},
        "evaluation": BASE["evaluation"] | {"interval": 60},
    },
    "cem_rl": JOINT | {"population": {"size": 4, "method": {"name": "cem_rl", "interval": 100}}},
    "dvd": JOINT | {"population": {"size": 4, "method": {"name": "dvd", "interval": 100}}},
    "asynchronous, with one replay for all": {
        "population": {"size": 5, "method": {"name": "pbt", "interval": 80, "asynchronous": True}},
        "replay": BASE["replay"] | {"sharing": "shared"},
        "evaluation": BASE["evaluation"] | {"interval": 20},
        "execution": BASE["execution"] | {"strategy": "parallel", "processes": 1},
    },
}
MOVING = "everything that moves"
pytestmark = pytest.mark.timeout(1800)  # the first test waits for a gang that trains every spec


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A spec, trained in one process when it is first asked for."""

    @functools.cache
    def run(name: str) -> Path:
        run_dir = begin(tmp_path_factory.mktemp("alone") / "run", BASE | SPECS[name])
        train_alone(run_dir)
        return run_dir

    return run


@pytest.fixture(scope="module")
def in_two(tmp_path_factory: pytest.TempPathFactory, alone, start) -> dict[str, Path]:
    """Every spec, trained by two processes, members moving collectively, and meanwhile by this one."""
    folder = tmp_path_factory.mktemp("two")
    runs = {name: begin(folder / str(place), BASE | changes) for place, (name, changes) in enumerate(SPECS.items())}
    gang = start(2, "tests.worker.gang.driver", folder, "collective", *runs.values())
    for name in SPECS:
        alone(name)
    assert gang.end() == [0, 0], gang.said()
    return runs


def check_equal(found: Path, expected: Path) -> None:
    assert reproducible(events_of(found)) == reproducible(events_of(expected))
    ours, theirs = arrays_of(found), arrays_of(expected)
    assert ours.keys() == theirs.keys()
    different = [name for name in theirs if ours[name].tobytes() != theirs[name].tobytes()]
    assert not different, f"{len(different)} of {len(theirs)} arrays differ: {different[:5]}"


@pytest.mark.parametrize("name", SPECS)
def test_two_processes_equal_one(name: str, alone, in_two):
    check_equal(in_two[name], alone(name))


def copies_after(step: int, run_dir: Path) -> list[tuple[int, int]]:
    """Slots of parent and child."""
    lineages = [event for event in events_of(run_dir) if isinstance(event, Lineage)]
    slot_of = {span.id: span.slot for event in lineages for span in event.spans}
    return [
        (slot_of[span.parent], span.slot)
        for event in lineages
        if event.step > step
        for span in event.spans
        if span.parent is not None
    ]


def test_members_crossed_and_both_wrote(in_two):
    """Otherwise the comparison says little."""
    run_dir, pairs = in_two[MOVING], copies_after(0, in_two[MOVING])
    assert any(parent < 7 <= slot for parent, slot in pairs), pairs
    assert any(slot < 7 <= parent for parent, slot in pairs), pairs
    started = events_of(run_dir)[0]
    assert isinstance(started, Started) and "2 processes, with members 7 from 0" in started.explanation
    record = latest_checkpoint(run_dir)
    assert record and [block.file for block in record.blocks] == ["000015.1.npz"]
    joint = latest_checkpoint(in_two["dvd"])
    assert joint and not joint.blocks, "where members learn as one, every process has the same"


def test_goes_on_in_another_number_of_processes(alone, in_two, start, tmp_path: Path):
    """From a checkpoint of two to three, one to three, and two to one; in three, members move from one to the other."""
    runs: list[Path] = []
    for place, source in enumerate((in_two[MOVING], alone(MOVING), in_two[MOVING])):
        runs.append(tmp_path / str(place))
        shutil.copytree(source, runs[-1])
        for file in checkpoints_dir(runs[-1]).glob("000015*"):  # the last one: as if it had never been written
            file.unlink()
    gang = start(3, "tests.worker.gang.driver", tmp_path, "point_to_point", *runs[:2])
    train_alone(runs[2])
    assert gang.end() == [0, 0, 0], gang.said()
    for run_dir in runs:
        resumed = [event for event in events_of(run_dir) if isinstance(event, Started)][-1]
        assert resumed.resumed and resumed.step == 200
        check_equal(run_dir, alone(MOVING))
    blocks = [block_of(rank, 3, 13) for rank in range(3)]
    assert any(
        not any(parent in block and slot in block for block in blocks) for parent, slot in copies_after(200, runs[0])
    )
    record = latest_checkpoint(runs[0])
    assert record and [block.file for block in record.blocks] == ["000015.1.npz", "000015.2.npz"]
