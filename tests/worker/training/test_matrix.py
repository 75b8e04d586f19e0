"""Every algorithm through the whole loop: it trains, strategies agree, and a resumed run repeats the whole one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Finished
from phylon.run_directory import checkpoints_dir

from .runs import last_arrays, reproducible

PENDULUM = {"suite": "gymnasium", "id": "Pendulum-v1", "envs_per_member": 2}
IMAGES = {"suite": "probe", "id": "ActionRewardImage-v0", "envs_per_member": 2}
CARTPOLE = {"suite": "gymnasium", "id": "CartPole-v1", "envs_per_member": 2}
PURE_CARTPOLE = {"suite": "gymnax", "id": "CartPole-v1", "envs_per_member": 2}
SMALL = {"network": {"hidden": [8, 8]}}
ROLLOUT = {"rollout_steps": 10, "epochs": 2, "minibatches": 4}
LEARNERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "td3": (PENDULUM, {"name": "td3", "batch_size": 8, **SMALL}),
    "sac": (PENDULUM, {"name": "sac", "batch_size": 8, **SMALL}),
    "ddpg": (PENDULUM, {"name": "ddpg", "batch_size": 8, **SMALL}),
    "dqn": (CARTPOLE, {"name": "dqn", "batch_size": 8, **SMALL}),
    "ppo-continuous": (PENDULUM, {"name": "ppo", **ROLLOUT, **SMALL}),
    "ppo-discrete": (PURE_CARTPOLE, {"name": "ppo", **ROLLOUT, **SMALL}),
    "drac": (
        IMAGES,
        {
            "name": "drac",
            **ROLLOUT,
            "network": {"kind": "cnn", "channels": [4], "kernels": [3], "strides": [2], "hidden": [8]},
            "augmentation": {"choice": ["crop", "grayscale", "flip", "cutout-color"]},
        },
    ),
}


@pytest.fixture(params=LEARNERS)
def spec(request: pytest.FixtureRequest, small_spec: dict[str, Any]) -> dict[str, Any]:
    environment, algorithm = LEARNERS[request.param]
    spec = small_spec | {"environment": environment, "algorithm": algorithm | {"discount": {"uniform": [0.9, 0.99]}}}
    if algorithm["name"] in ("ppo", "drac"):
        del spec["replay"]
        spec["execution"] = {"strategy": "parallel" if request.param == "ppo-continuous" else "sharded"}
    elif algorithm["name"] in ("td3", "sac", "ddpg"):
        spec["resets"] = {"interval": 150}
    return spec | {"budget": {"env_steps": 300}}


def test_a_resumed_run_repeats_the_uninterrupted_one(spec, train_here, tmp_path: Path):
    events = train_here(spec)
    assert isinstance(events[-1], Finished)
    expected = last_arrays(tmp_path / "run")
    for file in checkpoints_dir(tmp_path / "run").glob("*15.*"):  # the last one: as if it had never been written
        file.unlink()
    again = train_here(spec)
    found = last_arrays(tmp_path / "run")
    assert [event.kind for event in again if event.step == 200][-1] == "started"
    assert reproducible(again) == reproducible(events)
    for name in expected:
        if name != "wall":
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def test_strategies_agree(spec, train_here, tmp_path: Path):
    """After a few updates only: rounding that differs grows from there on."""
    spec |= {"budget": {"env_steps": 60}, "resets": None}
    strategies: dict[str, dict[str, Any]] = {"sequential": {}, "vectorized": {}, "sharded": {}}
    if spec["execution"]["strategy"] == "parallel":
        strategies["parallel"] = {"processes": 2}
    if spec["algorithm"]["name"] == "ddpg":
        strategies["vectorized"] = {"chunk": 2}
    for strategy, settings in strategies.items():
        train_here(spec | {"execution": spec["execution"] | {"strategy": strategy} | settings}, strategy)
    reference = last_arrays(tmp_path / "sequential")
    if "augmentation" in spec["algorithm"]:
        assert len(set(reference["hyperparams/augmentation"])) > 1  # so members of one program augment differently
    for strategy in strategies:
        found = last_arrays(tmp_path / strategy)
        for name in reference:
            if name.startswith("population/"):
                np.testing.assert_allclose(found[name], reference[name], rtol=2e-3, atol=2e-5, err_msg=name)
