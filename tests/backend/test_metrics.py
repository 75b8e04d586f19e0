"""Metric frames: exact where they fit, true to the picture where they are bucketed, and NaN survives."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from phylon.backend.metrics.buckets import bucket
from phylon.backend.metrics.frames import pack, unpack
from phylon.returns import best_of, median_of


def tell(worker, run_id, attempt, ticks, start=0):
    events = [
        {"kind": "metrics", "seq": start + tick, "step": 10 * tick, "wall": tick / 4, "frames": {"a": values}}
        for tick, values in enumerate(ticks)
    ]
    answer = worker.tell(run_id, attempt, events)
    assert answer.status_code == 200, answer.text


def read(client, run_id, **parameters):
    return client.get(f"/api/v1/runs/{run_id}/metrics", params=parameters)


def test_all_ticks_when_they_fit(client, worker, run_id):
    attempt = worker.take(run_id)
    ticks = [[0.5, "NaN"], ["Infinity", "-Infinity"], [1e300, 0.1]]
    tell(worker, run_id, attempt, ticks)
    [series] = read(client, run_id, name="a").json()["series"]
    assert series == {
        "name": "a",
        "steps": [0, 10, 20],
        "wall": [0.0, 0.25, 0.5],
        "values": [[0.5, "NaN"], ["Infinity", "-Infinity"], ["Infinity", float(np.float32(0.1))]],
    }


def test_names_and_several_series(client, worker, run_id):
    attempt = worker.take(run_id)
    frames = {"time/env": [0.5], "evaluation/return": [1.0, 2.0, 3.0, 4.0]}
    worker.tell(run_id, attempt, [{"kind": "metrics", "seq": 0, "step": 5, "wall": 1.0, "frames": frames}])
    assert client.get(f"/api/v1/runs/{run_id}/metrics/names").json()["items"] == ["evaluation/return", "time/env"]
    answer = read(client, run_id, name=["time/env", "unheard-of", "evaluation/return", "time/env"]).json()["series"]
    assert [(series["name"], series["values"]) for series in answer] == [
        ("time/env", [[0.5]]),
        ("unheard-of", []),
        ("evaluation/return", [[1.0, 2.0, 3.0, 4.0]]),
    ]


def test_more_ticks_than_points_keep_the_extremes_of_every_member(client, worker, run_id):
    attempt = worker.take(run_id)
    ticks = np.random.default_rng(0).normal(size=(300, 3)).astype(np.float32)
    ticks[123, 1], ticks[77, 2] = 50.0, -50.0
    tell(worker, run_id, attempt, ticks.tolist())
    [series] = read(client, run_id, name="a", points=20).json()["series"]
    values = np.array(series["values"])
    assert len(series["steps"]) == len(series["wall"]) == len(values) <= 20
    assert values.max(axis=0).tolist() == ticks.max(axis=0).tolist()
    assert values.min(axis=0).tolist() == ticks.min(axis=0).tolist()
    assert (series["steps"][0], series["steps"][-1]) == (0, 2990)
    assert values[0].tolist() == ticks[0].tolist()
    assert values[-1].tolist() == ticks[-1].tolist()
    assert series["steps"] == sorted(series["steps"])


@pytest.mark.parametrize("parameters", [{}, {"name": "a", "points": 1}, {"name": "a", "points": "many"}])
def test_bad_questions(client, run_id, parameters):
    assert read(client, run_id, **parameters).status_code == 422


def test_unknown_run(client):
    assert client.get("/api/v1/runs/5/metrics", params={"name": "a"}).status_code == 404
    assert client.get("/api/v1/runs/5/metrics/names").status_code == 404


FLOATS = st.floats(width=32, allow_nan=True, allow_infinity=True)


@given(
    arrays.arrays(np.float32, st.tuples(st.integers(3, 60), st.integers(1, 4)), elements=FLOATS),
    st.integers(2, 58),
)
def test_buckets_never_invent_or_lose_an_extreme(values, points):
    if len(values) <= points:
        return
    kept = bucket(values, points)
    assert len(kept.ticks) == len(kept.values) <= points
    assert kept.ticks == sorted(kept.ticks)
    assert (kept.ticks[0], kept.ticks[-1]) == (0, len(values) - 1)
    for member in range(values.shape[1]):
        column, shown = values[:, member], kept.values[:, member]
        assert all(any(value == true or (math.isnan(value) and math.isnan(true)) for true in column) for value in shown)
        numbers = column[np.isfinite(column)]
        if points >= 4 and numbers.size and not np.isinf(column).any():
            assert (np.nanmin(shown), np.nanmax(shown)) == (numbers.min(), numbers.max())


@given(st.lists(FLOATS, min_size=1, max_size=20))
def test_a_frame_survives_its_bytes(values):
    assert np.array_equal(unpack(pack(values)), np.array(values, np.float32), equal_nan=True)


def test_summaries_ignore_what_is_no_number():
    assert best_of(np.array([1.0, math.nan, 3.0])) == 3.0
    assert median_of(np.array([1.0, math.nan, 3.0])) == 2.0
    assert math.isnan(best_of(np.array([math.nan])))
    assert math.isnan(median_of(np.array([-math.inf, math.inf])))
