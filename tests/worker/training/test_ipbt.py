"""A new iteration of IPBT through the whole loop: weights are renewed as planned, and a resumed run repeats it."""

from pathlib import Path

import numpy as np
import pytest

from phylon.contract.events import Finished, Lineage
from phylon.run_directory import checkpoints_dir

from .runs import last_arrays, reproducible

NEW_ITERATION = 240


@pytest.fixture
def spec(small_spec):
    """Where every return is the same nobody makes progress: it starts again five points after the first."""
    return small_spec | {
        "environment": {"suite": "probe", "id": "ConstantReward-v0"},
        "population": {"size": 4, "method": {"name": "ipbt", "interval": 40, "patience": 5}},
        "evaluation": {"interval": 40, "episodes": 1},
        "checkpoint": {"interval": 200},
    }


def test_a_new_iteration_is_recorded_and_repeated_after_an_interruption(spec, train_here, tmp_path: Path):
    events = train_here(spec)
    assert isinstance(events[-1], Finished)
    lineage = {event.step: event.spans for event in events if isinstance(event, Lineage)}
    assert sorted(lineage) == [0, 40, 80, 120, 160, 200, NEW_ITERATION, 320]  # then the interval is twice as long
    reborn = lineage[NEW_ITERATION]
    assert [span.operator for span in reborn] == ["reset"] * 4
    assert sorted(span.changes["weights"] for span in reborn) == ["fresh"] * 2 + ["shrink"] * 2
    assert len({span.weights for span in reborn}) == 4  # each from a key of its own
    assert [span.reasons["iteration"] for span in reborn] == [1.0] * 4

    expected = last_arrays(tmp_path / "run")
    last = max(checkpoints_dir(tmp_path / "run").iterdir()).stem
    for file in checkpoints_dir(tmp_path / "run").glob(f"{last}.*"):  # as if it had never been written
        file.unlink()
    again = train_here(spec)
    assert [event.kind for event in again if event.step == 200][-1] == "started"  # before the new iteration
    assert reproducible(again) == reproducible(events)
    found = last_arrays(tmp_path / "run")
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
