"""Explanations over REST. The numbers themselves are tested in tests/phylon/explain and tests/phylon/lineage."""

import pytest

from .test_lineage import CHILD, lineage, span

ON_ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def evaluation(seq: int, step: int, returns: list[float | str], errors: list[float | str]):
    frames = {"evaluation/return": returns, "evaluation/return_stderr": errors}
    return {"kind": "metrics", "seq": seq, "step": step, "wall": 1.0, "frames": frames}


@pytest.fixture
def evolved(worker, run_id) -> int:
    """Slot 2 copied slot 1 at step 400."""
    events = [
        lineage(0, 0, *(span(slot, slot) for slot in range(4))),
        evaluation(1, 400, [10.0, 20.0, "NaN", 15.0], [1.0, 3.0, "NaN", 4.0]),
        lineage(2, 400, span(4, 2, **CHILD)),
        evaluation(3, 800, [11.0, 21.0, 30.0, 16.0], [1.0, 1.0, 1.0, 1.0]),
    ]
    assert worker.report(run_id, worker.take(run_id), events).status_code == 200
    return run_id


def test_of_a_run(client, evolved):
    found = client.get(f"/api/v1/runs/{evolved}/explanation").json()
    child = found["spans"][4]
    assert (child["run_id"], child["span"], child["member"], child["gain"]) == (evolved, 4, 2, 10.0)
    assert child["progress"] == pytest.approx(7 / 8)
    assert child["values"] == {"policy_learning_rate": 8e-4, "discount": 0.95}
    assert {each["tuned"]["name"] for each in found["hyperparams"]} == {"policy_learning_rate", "discount"}
    assert (found["observed"], found["explained"], found["run_ids"]) == (5, None, [evolved])
    assert found["needed"] >= 20
    (donor,) = found["noise"]["donors"]
    # One of four is copied from. Only 15 ± 4 is near enough to 20 ± 3 to matter: one standard error of the difference.
    assert (donor["donor"], donor["member"], donor["ahead_again"]) == (1, 2, 1.0)
    assert donor["donor_again"] == pytest.approx(0.84, abs=0.05) and found["noise"]["chance"] == 0.25


@ON_ONE_DATABASE
def test_before_anything_happened(client, run_id):
    found = client.get(f"/api/v1/runs/{run_id}/explanation").json()
    assert (found["spans"], found["observed"], found["noise"]["copies"]) == ([], 0, 0)


@ON_ONE_DATABASE
def test_pooled(client, evolved, submit):
    other = submit(name="other")
    mine = client.get(f"/api/v1/runs/{evolved}").json()["experiment_id"]
    found = client.get("/api/v1/comparisons/explanation", params={"experiments": [mine, other["id"]]}).json()
    assert found["run_ids"] == sorted([evolved, *(run["id"] for run in other["runs"])])
    assert len(found["spans"]) == 5
    answer = client.get("/api/v1/comparisons/explanation", params={"experiments": [mine], "task": "none"})
    assert answer.status_code == 422
    assert client.get("/api/v1/comparisons/explanation").status_code == 422


@ON_ONE_DATABASE
def test_unknown_runs(client):
    assert client.get("/api/v1/runs/99/explanation").status_code == 404
    assert client.get("/api/v1/comparisons/explanation", params={"experiments": [99]}).status_code == 404
