"""Tables of a run as files over REST: complete, streamed, and of one moment."""

import csv
import io
import math
import sys

import numpy as np
import pyarrow.parquet
import pytest

from phylon.backend.accounts.viewer import LOCAL_VIEWER
from phylon.backend.export import service

TICKS = 25


def address(run_id, name):
    return f"/api/v1/runs/{run_id}/export/{name}"


def founder(slot, **change):
    return {
        "id": slot, "slot": slot, "parent": None, "operator": "founder", "changes": {"discount": "draw"},
        "hyperparams_before": None, "hyperparams": {"discount": 0.9, "policy_learning_rate": "NaN"}, "fitness": "NaN",
        "parent_fitness": "Infinity", "rank": None, "weights": "00",
    } | change  # fmt: skip


@pytest.fixture
def reported(worker, run_id):
    """A run with a history, and its attempt."""
    attempt = worker.take(run_id)
    events = [{"kind": "lineage", "seq": 0, "step": 0, "wall": 0.0, "spans": [founder(slot) for slot in range(4)]}]
    for tick in range(TICKS):
        frames = {"training/b": [tick, "NaN", "-Infinity", 0.1], "time/env": [tick / 4], "Zeta": [0.0, 1.0, 2.0, 3.0]}
        events.append({"kind": "metrics", "seq": 1 + tick, "step": 10 * tick, "wall": tick / 8, "frames": frames})
    assert worker.report(run_id, attempt, events).status_code == 200
    return attempt


def read(content):
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_every_value_as_csv(client, reported, run_id):
    answer = client.get(address(run_id, "metrics.csv"))
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="backend-test-run-{run_id}-metrics.csv"'
    rows = read(answer.content)
    assert len(rows) == TICKS * 9
    assert list(dict.fromkeys(row["name"] for row in rows)) == ["Zeta", "time/env", "training/b"]
    assert [row["value"] for row in rows if row["name"] == "training/b"][-4:] == ["24.0", "nan", "-inf", "0.1"]
    assert {row["member"] for row in rows if row["name"] == "time/env"} == {""}


def test_parquet_is_the_same_table(client, reported, run_id):
    answer = client.get(address(run_id, "metrics.parquet"))
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    table = pyarrow.parquet.read_table(io.BytesIO(answer.content))
    rows = read(client.get(address(run_id, "metrics.csv")).content)
    assert table["name"].to_pylist() == [row["name"] for row in rows]
    assert table["step"].to_pylist() == [int(row["step"]) for row in rows]
    np.testing.assert_array_equal(table["value"].to_numpy(), np.array([row["value"] for row in rows], np.float32))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_pages_make_no_difference(client, reported, run_id, format, monkeypatch):
    file = address(run_id, f"lineage.{format}")
    whole = client.get(file).content
    monkeypatch.setattr(service, "_SPANS_PER_PAGE", 3)
    assert client.get(file).content == whole


def test_a_file_shows_one_moment(context, worker, reported, run_id):
    """The run resumes from its beginning while its file is being read."""
    with context.database.read() as session:
        _, chunks = service.chunks(session, LOCAL_VIEWER, run_id, "metrics", "csv")
        first = next(chunks)
        worker.release(run_id, reported)
        worker.take(run_id, from_seq=1)
        assert len(read(first + b"".join(chunks))) == TICKS * 9
    with context.database.read() as session:
        assert len(read(b"".join(service.chunks(session, LOCAL_VIEWER, run_id, "metrics", "csv")[1]))) == 0


def test_lineage(client, reported, run_id):
    rows = read(client.get(address(run_id, "lineage.csv")).content)
    assert [row["span"] for row in rows] == ["0", "1", "2", "3"]
    assert rows[0]["hyperparams.discount"] == "0.9" and rows[0]["hyperparams.policy_learning_rate"] == "nan"
    table = pyarrow.parquet.read_table(io.BytesIO(client.get(address(run_id, "lineage.parquet")).content))
    assert math.isnan(table["fitness"][0].as_py()) and table["parent_fitness"][0].as_py() == math.inf
    assert table["parent"].null_count == 4


def test_interruptions(client, worker, run_id):
    assert client.get(address(run_id, "interruptions.csv")).text == "step,reason\n"
    attempt = worker.take(run_id)
    event = {"kind": "interrupted", "seq": 0, "step": 120, "wall": 1.0, "reason": "handed_back"}
    worker.report(run_id, attempt, [event])
    assert client.get(address(run_id, "interruptions.csv")).text == "step,reason\n120,handed_back\n"


@pytest.mark.parametrize("name", ["weights.csv", "metrics.xlsx", "metrics"])
def test_what_does_not_exist(client, run_id, name):
    assert client.get(address(run_id, name)).status_code in (404, 422)


def test_unknown_run(client):
    answer = client.get(address(5, "metrics.csv"))
    assert answer.status_code == 404 and answer.json()["detail"] == "There is no run 5."


def test_without_pyarrow(client, run_id, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    answer = client.get(address(run_id, "metrics.parquet"))
    assert answer.status_code == 501 and "pyarrow" in answer.json()["detail"] and answer.json()["remedy"]
