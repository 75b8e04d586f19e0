"""What the API tells of a lineage beyond its spans. The numbers themselves are tested in tests/phylon/lineage."""

import io
import json
import zipfile
from typing import Any

import pytest

FINE = {"policy_learning_rate": 1e-3, "discount": 0.95}


def span(id: int, slot: int, **changes: Any) -> dict[str, Any]:
    founder = {
        "id": id,
        "slot": slot,
        "parent": None,
        "operator": "founder",
        "changes": {"discount": "draw"},
        "hyperparams_before": None,
        "hyperparams": FINE,
        "fitness": None,
        "parent_fitness": None,
        "rank": None,
        "weights": f"{id:08x}",
    }
    return founder | changes


CHILD = {
    "parent": 1,
    "operator": "perturb",
    "changes": {"discount": "inherit", "policy_learning_rate": "x0.8"},
    "hyperparams_before": FINE,
    "hyperparams": FINE | {"policy_learning_rate": 8e-4},
    "fitness": "NaN",
    "parent_fitness": 20.0,
    "rank": 3,
}


def lineage(seq: int, step: int, *spans: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "lineage", "seq": seq, "step": step, "wall": 1.0, "spans": list(spans)}


def evaluation(seq: int, step: int, *returns: float | str) -> dict[str, Any]:
    return {"kind": "metrics", "seq": seq, "step": step, "wall": 1.0, "frames": {"evaluation/return": list(returns)}}


@pytest.fixture
def evolved(worker, run_id) -> int:
    """Slot 2 copied slot 1 at step 400 and is now the best."""
    events = [
        lineage(0, 0, *(span(slot, slot) for slot in range(4))),
        evaluation(1, 400, 10.0, 20.0, "NaN", 15.0),
        lineage(2, 400, span(4, 2, **CHILD)),
        evaluation(3, 800, 11.0, 21.0, 30.0, 16.0),
    ]
    assert worker.report(run_id, worker.take(run_id), events).status_code == 200
    return run_id


def test_summary(client, evolved):
    summary = client.get(f"/api/v1/runs/{evolved}/lineage/summary").json()
    assert summary["winner"] == {
        "member": 2, "span": 4, "step": 800, "last_return": 30.0, "generations": 1, "ancestry": [1, 4],
    }  # fmt: skip
    assert [(founder["member"], founder["share"]) for founder in summary["founders_alive"]] == [
        (1, 0.5),
        (0, 0.25),
        (3, 0.25),
    ]
    assert summary["founder_shares"][-1] == {"step": 400, "shares": {"1": 0.5, "0": 0.25, "3": 0.25}}
    assert summary["operators"] == [
        {"operator": "perturb", "births": 1, "over_replaced": None, "over_parent": 10.0, "beside_parent": 9.0}
    ]
    assert {(move["name"], move["move"], move["helped"]) for move in summary["moves"]} == {
        ("policy_learning_rate", "down", 1.0),
        ("discount", "kept", 1.0),
    }


def test_summary_before_anything_happened(client, run_id):
    summary = client.get(f"/api/v1/runs/{run_id}/lineage/summary").json()
    assert (summary["winner"], summary["founders_alive"], summary["exploits"]) == (None, [], 0)


class TestSchedule:
    def test_of_the_best(self, client, evolved):
        schedule = client.get(f"/api/v1/runs/{evolved}/schedule").json()
        assert (schedule["member"], schedule["span"]) == (2, 4)
        assert schedule["entries"] == [
            {"step": 0, "values": {"policy_learning_rate": 0.001, "discount": 0.95}},
            {"step": 400, "values": {"policy_learning_rate": 0.0008, "discount": 0.95}},
        ]
        assert schedule["yaml"].startswith(
            "name: schedule\nschedule:\n- {step: 0, values: {policy_learning_rate: 0.001,"
        )

    def test_of_a_member(self, client, evolved):
        assert len(client.get(f"/api/v1/runs/{evolved}/schedule", params={"member": 3}).json()["entries"]) == 1

    def test_of_nobody(self, client, evolved):
        answer = client.get(f"/api/v1/runs/{evolved}/schedule", params={"member": 4})
        assert answer.status_code == 404 and "from 0 to 3" in answer.json()["detail"]
        assert client.get(f"/api/v1/runs/{evolved}/schedule", params={"member": "worst"}).status_code == 422

    def test_of_the_best_before_an_evaluation(self, client, run_id):
        assert client.get(f"/api/v1/runs/{run_id}/schedule").status_code == 404

    def test_where_nothing_is_tuned(self, client, worker, submit):
        population = {"size": 1, "method": {"name": "independent"}}
        fixed = {"name": "td3", "batch_size": 16, "network": {"hidden": [8, 8]}}
        run_id = submit(algorithm=fixed, population=population)["runs"][0]["id"]
        worker.report(run_id, worker.take(run_id), [lineage(0, 0, span(0, 0))])
        assert client.get(f"/api/v1/runs/{run_id}/schedule", params={"member": 0}).status_code == 409


def test_files(client, evolved):
    newick = client.get(f"/api/v1/runs/{evolved}/lineage.newick")
    assert newick.text == "(m0.s0:800,(m1.s1:400,m2.s4:400):400,m2.s2:400,m3.s3:800)root;\n"
    assert newick.headers["content-disposition"] == f'attachment; filename="run-{evolved}.nwk"'
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"/api/v1/runs/{evolved}/lineage.ray.zip").content))
    assert archive.namelist() == ["pbt_global.txt", "pbt_policy_2.txt"]
    assert json.loads(archive.read("pbt_policy_2.txt"))[:4] == ["2", "1", 400, 400]
    # What was written can be read again.
    files = {name: archive.read(name).decode() for name in archive.namelist()}
    drawn = client.post("/api/v1/lineage/import", json={"files": files}).json()
    assert [(each["slot"], each["parent"], each["start_step"]) for each in drawn["spans"]][-1] == (2, 1, 400)
    assert [tuned["name"] for tuned in drawn["tuned"]] == ["policy_learning_rate"]


def test_unknown_runs(client):
    for path in ("lineage/summary", "schedule", "lineage.newick", "lineage.ray.zip"):
        assert client.get(f"/api/v1/runs/99/{path}").status_code == 404


def test_imports_that_tell_nothing(client):
    for files in ({}, {"pbt_global.txt": "[]"}, {"pbt_global.txt": 3}):
        answer = client.post("/api/v1/lineage/import", json={"files": files})
        assert answer.status_code == 422 and answer.json()["detail"]


class TestPastOfASpan:
    def test_ancestry(self, client, evolved):
        found = client.get(f"/api/v1/runs/{evolved}/lineage/spans/4/ancestry").json()
        assert (found["span"], found["member"], found["generations"]) == (4, 2, 1)
        founder, child = found["path"]
        assert (founder["span"], founder["start_step"], founder["end_step"], founder["gain"]) == (1, 0, 400, None)
        assert (child["span"], child["start_step"], child["end_step"]) == (4, 400, 800)
        assert child["changes"]["policy_learning_rate"] == "x0.8" and child["hyperparams"]["discount"] == 0.95
        assert child["gain"] == {"over_replaced": "NaN", "over_parent": 10.0, "beside_parent": 9.0}

    def test_of_a_dead_span(self, client, evolved):
        dead = client.get(f"/api/v1/runs/{evolved}/lineage/spans/2/ancestry").json()
        assert [(each["span"], each["start_step"], each["end_step"]) for each in dead["path"]] == [(2, 0, 400)]
        schedule = client.get(f"/api/v1/runs/{evolved}/lineage/spans/2/schedule").json()
        assert (schedule["span"], schedule["member"]) == (2, 2)
        assert schedule["entries"] == [{"step": 0, "values": {"policy_learning_rate": 0.001, "discount": 0.95}}]

    def test_schedule_of_the_best_is_that_of_its_span(self, client, evolved):
        best = client.get(f"/api/v1/runs/{evolved}/schedule").json()
        assert client.get(f"/api/v1/runs/{evolved}/lineage/spans/4/schedule").json() == best

    @pytest.mark.parametrize("part", ["ancestry", "schedule"])
    def test_of_no_span(self, client, evolved, part):
        answer = client.get(f"/api/v1/runs/{evolved}/lineage/spans/99/{part}")
        assert (answer.status_code, answer.json()["type"]) == (404, "/problems/span-unknown")
        assert client.get(f"/api/v1/runs/77/lineage/spans/0/{part}").status_code == 404

    def test_a_lineage_from_elsewhere_is_analysed_alike(self, client, evolved):
        lineage = client.get(f"/api/v1/runs/{evolved}/lineage").json()
        here = client.get(f"/api/v1/runs/{evolved}/lineage/summary").json()
        there = client.post("/api/v1/lineage/summary", json=lineage).json()
        for name in ("founders_alive", "founder_shares", "living", "exploits", "generations_to_common_ancestor"):
            assert there[name] == here[name]
        assert [member["generations"] for member in there["living"]] == [0, 0, 1, 0]
        ancestry = client.post("/api/v1/lineage/spans/4/ancestry", json=lineage).json()
        assert [each["span"] for each in ancestry["path"]] == [1, 4]
        schedule = client.post("/api/v1/lineage/spans/4/schedule", json=lineage).json()
        assert schedule == client.get(f"/api/v1/runs/{evolved}/lineage/spans/4/schedule").json()
        assert client.post("/api/v1/lineage/spans/9/schedule", json=lineage).status_code == 404
