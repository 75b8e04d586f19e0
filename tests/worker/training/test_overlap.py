"""Learning from a segment while the next one is gathered: the same numbers whatever is faster, and exact resumption."""

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phylon.run_directory import checkpoints_dir
from phylon.worker.training import loop

from .runs import last_arrays, reproducible


class AtOnce:
    """Stands in for the thread beside: what is handed in is done before anything else."""

    def __init__(self, *arguments: Any) -> None:
        pass

    def __enter__(self) -> "AtOnce":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*arguments))
        return done


@pytest.fixture
def spec(small_spec: dict[str, Any]) -> dict[str, Any]:
    execution = small_spec["execution"] | {"overlap": True, "strategy": "vectorized"}
    return small_spec | {"execution": execution, "budget": {"env_steps": 300}}


def test_a_resumed_run_repeats_the_uninterrupted_one(spec, train_here, tmp_path: Path):
    events, expected = train_here(spec), last_arrays(tmp_path / "run")
    for file in checkpoints_dir(tmp_path / "run").glob("*15.*"):  # the last one: as if it had never been written
        file.unlink()
    assert reproducible(train_here(spec)) == reproducible(events)
    found = last_arrays(tmp_path / "run")
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def test_who_is_faster_does_not_matter(spec, train_here, monkeypatch):
    events = train_here(spec, "beside")
    monkeypatch.setattr(loop, "ThreadPoolExecutor", AtOnce)
    assert reproducible(train_here(spec, "at_once")) == reproducible(events)


def test_as_much_is_learned_and_by_policies_one_segment_older(spec, train_here, tmp_path: Path):
    train_here(spec, "overlapping")
    plainly = spec | {"execution": spec["execution"] | {"overlap": False}}
    train_here(plainly, "plainly")
    one, other = last_arrays(tmp_path / "overlapping"), last_arrays(tmp_path / "plainly")
    count = next(name for name in one if name.startswith("population/critic_optimiser") and name.endswith("count"))
    assert one[count].tolist() == other[count].tolist() == [260] * 4
    # both gather the first segment after the warm-up by the policies that they were born with, and then not
    is_same = (one["replay/action"] == other["replay/action"]).all(axis=(0, 2))
    assert is_same[:60].all() and not is_same[60:80].any()
