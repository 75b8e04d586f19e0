"""Environments restart with every checkpoint, and so does what PPO remembers of the episodes under way."""

import numpy as np
import pytest

from phylon.run_directory import checkpoints_dir
from phylon.worker.algorithms import ppo

from .runs import last_arrays

RETURNS = "population/reward_scale/returns"


@pytest.fixture
def spec(small_spec):
    """Episodes of 200 steps, of which a checkpoint is written at 60, in the middle of each."""
    small_spec |= {
        "environment": {"suite": "gymnasium", "id": "Pendulum-v1", "envs_per_member": 2},
        "algorithm": {"name": "ppo", "rollout_steps": 10, "epochs": 1, "minibatches": 2, "network": {"hidden": [8]}},
        "population": {"size": 2, "method": {"name": "independent"}},
        "budget": {"env_steps": 120},
        "evaluation": {"interval": 120, "episodes": 1},
        "metrics": {"interval": 60},
        "checkpoint": {"interval": 60},
        "execution": {"strategy": "sharded"},
    }
    del small_spec["replay"]
    return small_spec


def first_checkpoint(run_dir):
    with np.load(checkpoints_dir(run_dir) / "000003.npz") as file:
        return {name: file[name] for name in file.files}


@pytest.mark.parametrize("strategy", ["sharded", "sequential"])
def test_no_running_return_survives_a_checkpoint(spec, train_here, tmp_path, strategy):
    train_here(spec | {"execution": {"strategy": strategy}})
    arrays = first_checkpoint(tmp_path / "run")
    assert arrays[RETURNS].shape == (2, 2)
    assert not arrays[RETURNS].any()
    assert (arrays["population/reward_scale/moments/count"] > 1).all(), "statistics of the past stay"


def test_it_did_before(spec, train_here, tmp_path, monkeypatch):
    """The former rule: the running return went on in episodes that had not earned it, and the scale followed."""
    train_here(spec, "mended")
    monkeypatch.setattr(ppo, "cut_episodes", lambda state: state)
    train_here(spec, "former")
    assert first_checkpoint(tmp_path / "former")[RETURNS].all()
    variance = "population/reward_scale/moments/variance"
    mended, former = (last_arrays(tmp_path / run)[variance] for run in ("mended", "former"))
    assert not np.isclose(mended, former, rtol=1e-3).any()


def test_a_resumed_run_goes_on_alike(spec, train_here, tmp_path):
    train_here(spec)
    expected = last_arrays(tmp_path / "run")
    for file in checkpoints_dir(tmp_path / "run").glob("000006.*"):  # as if it had never been written
        file.unlink()
    train_here(spec)
    found = last_arrays(tmp_path / "run")
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
