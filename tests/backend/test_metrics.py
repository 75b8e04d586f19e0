"""Metrics over REST: exact where they fit, true to the picture where they are aggregated, and NaN survives."""

import math

import numpy as np
import pytest

from phylon.returns import best_of, median_of

RARE = {3: {"b": [1.0]}}


def tick(seq, **frames):
    return {"kind": "metrics", "seq": seq, "step": 10 * seq, "wall": seq / 4, "frames": frames}


def report(worker, run_id, attempt, events):
    answer = worker.report(run_id, attempt, events)
    assert answer.status_code == 200, answer.text


def read(client, run_id, **parameters):
    return client.get(f"/api/v1/runs/{run_id}/metrics", params={"name": "a"} | parameters)


def only(answer):
    assert answer.status_code == 200, answer.text
    [series] = answer.json()["series"]
    return series


def test_all_ticks_when_they_fit(client, worker, run_id):
    ticks = [[0.5, "NaN"], ["Infinity", "-Infinity"], [1e300, 0.1]]
    frames = [tick(seq, a=values) for seq, values in enumerate(ticks)]
    report(worker, run_id, worker.take(run_id), [*frames, tick(3, time=[0.5])])
    assert only(read(client, run_id)) == {
        "name": "a",
        "steps": [0, 10, 20],
        "wall": [0.0, 0.25, 0.5],
        "values": [[0.5, "NaN"], ["Infinity", "-Infinity"], ["Infinity", float(np.float32(0.1))]],
        "low": [],
        "high": [],
        "ticks": [],
        "is_exact": True,
    }
    assert client.get(f"/api/v1/runs/{run_id}/metrics/names").json()["items"] == ["a", "time"]
    several = read(client, run_id, name=["time", "unheard-of", "a", "time"]).json()["series"]
    assert [(series["name"], len(series["steps"])) for series in several] == [("time", 1), ("unheard-of", 0), ("a", 3)]


def test_a_long_run_from_first_tick_to_last(client, worker, run_id):
    """More than two rows of compacted ticks, a name that is not in each of them, a cut in the middle of a row, an end
    and a history that goes on after it: charts, zooms and events always say what was reported."""
    values = np.random.default_rng(0).normal(size=(700, 3)).astype(np.float32)
    values[123, 1], values[77, 2], values[400, 0] = 50.0, -50.0, np.nan
    spool = [
        tick(seq, a=[float(value) if value == value else "NaN" for value in row], **RARE.get(seq % 7, {}))
        for seq, row in enumerate(values)
    ]
    report(worker, run_id, worker.take(run_id), spool[:300])
    report(worker, run_id, 1, spool[300:])

    exact = only(read(client, run_id, points=700))
    assert exact["is_exact"] and exact["steps"] == list(range(0, 7000, 10))
    assert np.array_equal(np.array(exact["values"], np.float32), values, equal_nan=True)
    few = only(read(client, run_id, points=20))
    assert not few["is_exact"] and 10 <= len(few["steps"]) <= 20 and few["steps"][-1] == 6990
    assert sum(few["ticks"]) == 700
    assert np.array(few["high"], float).max(axis=0).tolist() == np.nanmax(values, axis=0).tolist()
    assert np.array(few["low"], float).min(axis=0).tolist() == np.nanmin(values, axis=0).tolist()
    assert only(read(client, run_id, points=20)) == few, "the same when asked again"

    part = only(read(client, run_id, from_step=2001, to_step=2600, member=[2, 0, 9]))
    assert part["is_exact"] and (part["steps"][0], part["steps"][-1]) == (2010, 2600)
    assert np.array_equal(part["values"], values[201:261, [2, 0]])
    timed = only(read(client, run_id, from_wall=130.0, to_wall=1e9, points=2))
    assert not timed["is_exact"] and len(timed["steps"]) <= 2
    assert np.max(np.array(timed["high"], float), axis=0).tolist() == values[520:].max(axis=0).tolist()
    assert only(read(client, run_id, from_step=100, to_step=50))["steps"] == []
    sparse = only(read(client, run_id, name="b", points=120))
    assert sparse["is_exact"] and sparse["steps"] == list(range(30, 7000, 70))

    worker.release(run_id, 1)
    worker.take(run_id, from_seq=400)
    assert only(read(client, run_id, points=700))["steps"] == list(range(0, 4000, 10))
    broken = {"message": "it broke", "remedy": "mend it", "member": None, "hyperparams": None}
    report(worker, run_id, 2, [*spool[400:], {"kind": "failed", "seq": 700, "step": 7000, "wall": 175.0, **broken}])
    assert only(read(client, run_id, points=700)) == exact and only(read(client, run_id, points=20)) == few
    client.post(f"/api/v1/runs/{run_id}/retry")
    worker.take(run_id, from_seq=700)
    more = [tick(seq, a=[1.0, 2.0, 3.0]) for seq in range(700, 800)]
    report(worker, run_id, 3, more)
    assert only(read(client, run_id, from_step=6980))["steps"] == list(range(6980, 8000, 10))
    assert only(read(client, run_id, points=800))["values"][:700] == exact["values"]


@pytest.mark.parametrize("parameters", [{"name": []}, {"points": 1}, {"from_step": "x"}, {"to_wall": "nan"}])
def test_bad_questions(client, run_id, parameters):
    assert read(client, run_id, **parameters).status_code == 422


def test_unknown_run(client):
    assert read(client, 5).status_code == 404
    assert client.get("/api/v1/runs/5/metrics/names").status_code == 404


def test_summaries_ignore_what_is_no_number():
    assert best_of(np.array([1.0, math.nan, 3.0])) == 3.0
    assert median_of(np.array([1.0, math.nan, 3.0])) == 2.0
    assert math.isnan(best_of(np.array([math.nan])))
    assert math.isnan(median_of(np.array([-math.inf, math.inf])))
