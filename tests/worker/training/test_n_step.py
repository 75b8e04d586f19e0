"""n-step returns in whole runs: a checkpoint restarts the environments, so no return crosses it."""

from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Finished
from phylon.spec import SpecInvalid, parse_spec
from phylon.worker.training.experience import FromReplay

from .runs import last_arrays


@pytest.fixture
def three_steps(small_spec: dict[str, Any]) -> dict[str, Any]:
    """Episodes of 200 steps, of which each environment makes 50 between two checkpoints."""
    small_spec["algorithm"]["n_step"] = 3
    small_spec["environment"]["envs_per_member"] = 2
    return small_spec | {"budget": {"env_steps": 300}}


def require_cuts(arrays, envs) -> None:
    """A checkpoint holds its own cut: whoever goes on from it has restarted environments."""
    expected = np.zeros(arrays["replay/ended"].shape[1], np.bool_)
    for call in (50, 100, 150):
        expected[(call - 1) * envs : call * envs] = True
    for ended in arrays["replay/ended"]:
        np.testing.assert_array_equal(ended, expected)


def test_checkpoints_cut_episodes(three_steps, train_here, tmp_path):
    assert isinstance(train_here(three_steps)[-1], Finished)
    require_cuts(last_arrays(tmp_path / "run"), envs=2)


def test_in_a_shared_replay_too(three_steps, train_here, tmp_path):
    three_steps["replay"]["sharing"] = "shared"
    three_steps["replay"]["capacity"] = 2000
    train_here(three_steps)
    require_cuts(last_arrays(tmp_path / "run"), envs=8)


def test_a_checkpoint_that_does_not_cut_is_found_out(three_steps, train_here, tmp_path, monkeypatch):
    monkeypatch.setattr(FromReplay, "cut", lambda self: None)
    train_here(three_steps)
    with pytest.raises(AssertionError):
        require_cuts(last_arrays(tmp_path / "run"), envs=2)


def test_a_replay_that_cannot_hold_so_many_steps_is_refused(three_steps):
    three_steps["algorithm"]["n_step"] = 30
    three_steps["replay"]["capacity"] = 50
    with pytest.raises(SpecInvalid, match="never holds so many steps"):
        parse_spec(three_steps)
