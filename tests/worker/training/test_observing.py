"""Statistics of observations in whole runs: of training alone, copied with weights, the same on host and device."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Finished, Lineage
from phylon.run_directory import checkpoint_file, checkpoints_dir
from phylon.worker.training import loop, observing

from .runs import last_arrays


@pytest.fixture
def normalised(small_spec: dict[str, Any]) -> dict[str, Any]:
    small_spec["algorithm"]["observations"] = {"normalise": True}
    return small_spec | {"budget": {"env_steps": 200}}


def statistics_of(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    prefix = "population/observations/"
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}


def require_statistics_of_the_replay(run_dir: Path) -> None:
    """The replay holds all that was seen in training, and nothing of the evaluations."""
    arrays = last_arrays(run_dir)
    found, seen = statistics_of(arrays), arrays["replay/obs"].astype(np.float64)
    np.testing.assert_array_equal(found["count"], np.full(len(seen), seen.shape[1]))
    np.testing.assert_allclose(found["mean"], seen.mean(axis=1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found["variance"], seen.var(axis=1), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("strategy", ["sequential", "parallel", "vectorized", "sharded"])
def test_they_are_those_of_each_members_own_training(normalised, train_here, tmp_path, strategy):
    normalised["population"]["method"] = {"name": "independent"}
    normalised["execution"]["strategy"] = strategy
    assert isinstance(train_here(normalised)[-1], Finished)
    require_statistics_of_the_replay(tmp_path / "run")


def test_so_they_are_with_overlap_and_on_the_device(normalised, train_here, tmp_path):
    normalised["population"]["method"] = {"name": "independent"}
    normalised["environment"] = {"suite": "gymnax", "id": "Pendulum-v1", "envs_per_member": 2}
    normalised["execution"]["overlap"] = True
    assert isinstance(train_here(normalised)[-1], Finished)
    require_statistics_of_the_replay(tmp_path / "run")


def test_a_loop_that_forgets_a_segment_is_found_out(normalised, train_here, tmp_path, monkeypatch):
    normalised["population"]["method"] = {"name": "independent"}
    took_in = observing.observe

    def forget_warmup(attempt, rollout):
        if attempt.state.step > attempt.parts.experience.warmup:
            took_in(attempt, rollout)

    monkeypatch.setattr(loop, "observe", forget_warmup)
    train_here(normalised)
    with pytest.raises(AssertionError):
        require_statistics_of_the_replay(tmp_path / "run")


@pytest.mark.parametrize("what", ["agent", "policy"])
def test_a_copied_member_has_the_statistics_of_its_parent(normalised, train_here, tmp_path, what):
    normalised["population"]["method"]["copying"] = {"what": what}
    events = train_here(normalised)
    (evolution,) = [event for event in events if isinstance(event, Lineage) and event.step == 100]
    with np.load(checkpoints_dir(tmp_path / "run") / checkpoint_file(5), allow_pickle=False) as file:
        found = statistics_of(dict(file))
    copied = [span for span in evolution.spans if span.parent is not None and span.parent != span.slot]
    assert copied
    for span in copied:
        for values in found.values():
            np.testing.assert_array_equal(values[span.slot], values[span.parent])
    others = {tuple(values) for values in found["mean"].tolist()}
    assert len(others) == len(found["mean"]) - len(copied), "all others have seen other things"
