"""What figures are made of; and that there is a picture, or none where there is nothing to draw."""

from typing import Any

import numpy as np
import pytest

from phylon.contract.lineage import RunLineage
from phylon.figures.comparison import comparison
from phylon.figures.figure2 import THETA, figure2, stretches
from phylon.figures.runs import DrawnExperiment, DrawnRun, best_curve
from phylon.returns import RETURN
from phylon.series import Series

PNG = b"\x89PNG"


def series(*ticks: tuple[int, list[float]]) -> Series:
    steps, values = zip(*ticks, strict=True)
    return Series(np.array(steps), np.array(steps, float), np.array(values, float))


def span(id: int, slot: int, parent: int | None, start_step: int, end_step: int | None) -> dict[str, Any]:
    return {
        "id": id,
        "slot": slot,
        "parent": parent,
        "operator": "founder" if parent is None else "copy",
        "changes": {},
        "hyperparams_before": None,
        "hyperparams": {},
        "fitness": None,
        "parent_fitness": None,
        "rank": None,
        "weights": "",
        "start_step": start_step,
        "end_step": end_step,
        "start_wall": 0.0,
    }


def run(found: dict[str, Series], *spans: dict[str, Any]) -> DrawnRun:
    lineage = {"population_size": 2, "end_step": 2, "tuned": [], "spans": list(spans)}
    return DrawnRun(found, RunLineage.model_validate(lineage))


@pytest.fixture
def copied() -> DrawnRun:
    """Member 1 takes over the theta of member 0 at step 1."""
    return run(
        {
            RETURN: series((1, [0.1, 0.0]), (2, [0.2, 0.3])),
            THETA[0]: series((1, [0.8, 0.9]), (2, [0.7, 0.8])),
            THETA[1]: series((1, [0.9, 0.6]), (2, [0.9, 0.5])),
        },
        span(0, 0, None, 0, None),
        span(1, 1, None, 0, 1),
        span(2, 1, 0, 1, None),
    )


def test_a_copied_theta_is_no_step(copied: DrawnRun):
    first, second, child = stretches(copied)
    np.testing.assert_allclose(first.path, [(0.9, 0.9), (0.8, 0.9), (0.7, 0.9)])
    np.testing.assert_allclose(second.path, [(0.9, 0.9), (0.9, 0.6)])
    np.testing.assert_allclose(child.path, [(0.8, 0.9), (0.8, 0.5)])
    assert first.before is None and second.before is None and child.before is not None
    np.testing.assert_allclose(child.before, (0.9, 0.6))
    assert [stretch.slot for stretch in (first, second, child)] == [0, 1, 1]


def test_the_best_member_where_all_runs_have_been():
    ahead = run({RETURN: series((10, [1, 2]), (20, [float("nan"), 1]), (30, [9, 9]))})
    behind = run({RETURN: series((10, [5, 4]), (20, [3, 7]))})
    curve = best_curve(DrawnExperiment("pair", [ahead, behind, run({})]))
    assert curve is not None
    assert curve.steps.tolist() == [10, 20]
    assert curve.values.tolist() == [[2, 1], [5, 7]]
    assert best_curve(DrawnExperiment("failed", [run({})])) is None


def test_pictures(copied: DrawnRun):
    experiments = [
        DrawnExperiment("toy", [copied, copied]),
        DrawnExperiment("other", [run({RETURN: series((1, [0.0, 1.0]))})]),
        DrawnExperiment("failed", []),
    ]
    drawn = comparison("three", experiments), figure2(experiments)
    assert all(picture is not None and picture.startswith(PNG) for picture in drawn)


def test_nothing_to_draw():
    assert comparison("nothing", [DrawnExperiment("failed", [run({})])]) is None
    assert figure2([DrawnExperiment("other", [run({RETURN: series((1, [0.0, 1.0]))})])]) is None
