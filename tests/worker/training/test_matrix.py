"""Every algorithm through the whole loop: it trains, strategies agree, and a resumed run repeats the whole one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Finished
from phylon.registry import algorithms
from phylon.run_directory import checkpoints_dir

from .learners import learners
from .runs import last_arrays, reproducible

LEARNERS = learners()
NORMALISED = {"observations": {"normalise": True}}
for name in ("td3", "ppo-discrete"):  # one from a replay, one on the device
    environment, algorithm = LEARNERS[name]
    LEARNERS[f"{name}, normalised"] = environment, algorithm | NORMALISED
DECAYING = {"learning_rate_decay": {"shape": "cosine", "end": 0.1}}
for name in ("td3", "dqn"):
    LEARNERS[f"{name}, three steps"] = LEARNERS[name][0], LEARNERS[name][1] | {"n_step": 3}
LEARNERS["sac, decaying"] = LEARNERS["sac"][0], LEARNERS["sac"][1] | DECAYING


@pytest.fixture(params=LEARNERS)
def spec(request: pytest.FixtureRequest, small_spec: dict[str, Any]) -> dict[str, Any]:
    environment, algorithm = LEARNERS[request.param]
    description = algorithms()[algorithm["name"]]
    tuned = {name: value.model_dump(mode="json") for name, value in description.search_space.items()}
    spec = small_spec | {"environment": environment, "algorithm": algorithm | tuned}
    if description.experience == "rollout":
        del spec["replay"]
        spec["execution"] = {
            "strategy": "parallel" if request.param in ("ppo-box", "ppo-discrete, normalised") else "sharded"
        }
    elif description.state(description.spec.model_validate(algorithm)).parts:
        spec["resets"] = {"interval": 150}
    return spec | {"budget": {"env_steps": 300}}


def test_a_resumed_run_repeats_the_uninterrupted_one(spec, train_here, tmp_path: Path):
    events = train_here(spec)
    assert isinstance(events[-1], Finished)
    expected = last_arrays(tmp_path / "run")
    last = max(checkpoints_dir(tmp_path / "run").iterdir()).stem
    for file in checkpoints_dir(tmp_path / "run").glob(f"{last}.*"):  # as if it had never been written
        file.unlink()
    again = train_here(spec)
    found = last_arrays(tmp_path / "run")
    assert [event.kind for event in again if event.step == 200][-1] == "started"
    assert reproducible(again) == reproducible(events)
    for name in expected:
        if name != "wall":
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


@pytest.mark.parametrize("spec", ["ppo-discrete", "td3, normalised"], indirect=True)
def test_devices_need_not_divide_a_population(spec, train_here, tmp_path: Path):
    """Three members on two devices; nothing of what fills up the second one reaches a checkpoint or a lineage."""
    spec |= {"budget": {"env_steps": 150}, "population": spec["population"] | {"size": 3}}
    if "resets" in spec:
        spec["resets"] = {"interval": 100}
    histories: dict[str, Any] = {}
    for strategy in ("sequential", "sharded"):
        events = train_here(spec | {"execution": spec["execution"] | {"strategy": strategy}}, strategy)
        histories[strategy] = [(event.kind, event.step) for event in events]
    assert histories["sharded"] == histories["sequential"]
    found, expected = last_arrays(tmp_path / "sharded"), last_arrays(tmp_path / "sequential")
    for name in expected:
        assert found[name].shape == expected[name].shape, name
        if name.startswith("population/"):
            np.testing.assert_allclose(found[name], expected[name], rtol=2e-3, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("spec", learners(), indirect=True)
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
