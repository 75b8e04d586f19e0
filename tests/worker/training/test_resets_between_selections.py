"""An interval with a reset is no measure of hyper-parameters: PB2 learns nothing from it, and no mean spans it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Finished, RunEvent
from phylon.run_directory import checkpoints_dir
from phylon.worker.population import PopulationScores
from phylon.worker.training import evolve

from .runs import frames_of, last_arrays, reproducible

RESET = 240
"""The step of the only reset, between the selections at 200 and 300, when 200 updates were made."""


@pytest.fixture
def spec(small_spec: dict[str, Any]) -> dict[str, Any]:
    method = {"name": "pb2", "interval": 100, "window": 12, "fitness": {"name": "mean", "window": 2}}
    return small_spec | {
        "population": {"size": 4, "method": method},
        "resets": {"interval": 200},
        "checkpoint": {"interval": RESET},
    }


def assert_no_mean_spans_the_reset(events: list[RunEvent]) -> None:
    returns, fitness = frames_of(events, "evaluation/return"), frames_of(events, "evaluation/fitness")
    np.testing.assert_allclose(fitness[300], returns[300], rtol=1e-5)


def assert_only_whole_intervals_were_observed(run_dir: Path) -> None:
    """Of the three intervals that end in a selection the first has no start, and the third has the reset."""
    arrays = last_arrays(run_dir)
    there = arrays["method/observations/is_there"]
    assert set(arrays["method/observations/round"][there]) == {2}
    assert there.sum() == 4


def test_neither_a_gain_nor_a_mean_spans_a_reset_and_a_resumed_run_knows_of_it(spec, train_here, tmp_path: Path):
    events = train_here(spec)
    assert isinstance(events[-1], Finished)
    resets = {
        event.step for event in events if event.kind == "lineage" for span in event.spans if span.operator == "reset"
    }
    assert resets == {RESET}
    assert_no_mean_spans_the_reset(events)
    assert_only_whole_intervals_were_observed(tmp_path / "run")

    expected = last_arrays(tmp_path / "run")
    for file in checkpoints_dir(tmp_path / "run").iterdir():  # as if killed after the reset, before the selection
        if int(file.name.split(".")[0]) * 20 > RESET:
            file.unlink()
    again = train_here(spec)
    assert [event.step for event in again if event.kind == "started"] == [0, RESET]
    assert reproducible(again) == reproducible(events)
    found = last_arrays(tmp_path / "run")
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def test_the_old_rules_would_be_noticed(spec, train_here, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(evolve, "forget", lambda history: history)
    monkeypatch.setattr(evolve, "PopulationScores", lambda *scores: PopulationScores(*scores[:3]))
    events = train_here(spec)
    with pytest.raises(AssertionError):
        assert_no_mean_spans_the_reset(events)
    with pytest.raises(AssertionError):
        assert_only_whole_intervals_were_observed(tmp_path / "run")
