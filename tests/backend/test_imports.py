"""Results from elsewhere: stored, listed, drawn, compared, organised, and never trained."""

import base64
from typing import Any

import pytest
from sqlalchemy import select

from phylon.backend.imports import service
from phylon.backend.models import AuditRecord

from .conftest import SPEC

CSV = "seed,step,return,seconds\n" + "".join(
    f"{seed},{step},{seed + step / 100},{step / 10}\n" for seed in (1, 2, 3) for step in (100, 200, 300)
)


def body(text: str = CSV, name: str = "rival", **more: Any) -> dict[str, Any]:
    content = base64.b64encode(text.encode()).decode()
    return {"name": name, "files": [{"path": "results/rival.csv", "content": content}], **more}


def create(client, **more: Any) -> dict[str, Any]:
    answer = client.post("/api/v1/imports", json=body(**more))
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_an_import_is_an_experiment_with_a_run_per_seed(client, context):
    made = create(client, environment="Pendulum-v1", algorithm="sac", source="a paper")
    assert made["status"] == "finished"
    assert made["imported"] == {"format": "csv", "source": "a paper", "files": 1, "return_name": "return"}
    assert [(run["seed"], run["step"], run["last_return"]) for run in made["runs"]] == [
        (1, 300, 4.0),
        (2, 300, 5.0),
        (3, 300, 6.0),
    ]
    run_id = made["runs"][1]["id"]
    answer = client.get(f"/api/v1/runs/{run_id}/metrics", params={"name": "evaluation/return"}).json()
    [series] = answer["series"]
    assert (series["steps"], series["wall"]) == ([100, 200, 300], [10, 20, 30])
    assert series["values"] == [[3.0], [4.0], [5.0]]
    [row] = client.get("/api/v1/experiments", params={"query": "imported = csv and env = Pendulum-v1"}).json()["items"]
    assert (row["imported"], row["algorithm"], row["replicates"], row["last_return"]) == ("csv", "sac", 3, 6.0)
    assert row["final_return"] is None and len(row["sparkline"]) == 3
    assert client.get("/api/v1/experiments", params={"query": "imported = none"}).json()["total"] == 0
    with context.database.read() as session:
        actions = [record.action for record in session.scalars(select(AuditRecord))]
    assert "experiment.import" in actions


def test_what_was_trained_elsewhere_is_organised_and_deleted_but_never_trained(client):
    made = create(client)
    path, run = f"/api/v1/experiments/{made['id']}", f"/api/v1/runs/{made['runs'][0]['id']}"
    for verb in ("stop", "pause", "resume", "retry"):
        for noun in (path, run):
            answer = client.post(f"{noun}/{verb}")
            assert (answer.status_code, answer.json()["title"]) == (409, ImportedTitle), answer.text
    for noun in (path, run):
        assert client.post(f"{noun}/extend", json={"budget": {"env_steps": 4000}}).status_code == 409
    assert "imported from csv" in client.get(f"{run}/extension").json()["refusal"]
    changed = client.patch(path, json={"tags": ["paper"], "notes": "from the appendix", "name": "other"}).json()
    assert (changed["tags"], changed["notes"], changed["name"]) == (["paper"], "from the appendix", "other")
    assert client.put(f"{path}/star", json={"starred": True}).json()["starred"]
    for part in ("lineage", "lineage/summary", "attempts", "export/metrics.csv", "export/lineage.csv", "policies"):
        assert client.get(f"{run}/{part}").status_code in (200, 404), part
    assert client.get(f"{run}/lineage").json()["spans"] == []
    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == 404


ImportedTitle = "The experiment was imported: it can be organised, compared and deleted, nothing else."


def test_it_is_compared_with_what_was_trained_here(client, worker):
    ours = client.post("/api/v1/experiments", json={"spec": SPEC}).json()
    run_id = ours["runs"][0]["id"]
    worker.take(run_id)
    tick = {
        "kind": "metrics",
        "seq": 0,
        "step": 300,
        "wall": 3.0,
        "frames": {"evaluation/return": [1.0, 2.0, 3.0, 4.0]},
    }
    worker.report(run_id, 1, [tick, {"kind": "stopped", "seq": 1, "step": 300, "wall": 4.0}])
    theirs = create(client, environment=SPEC["environment"]["id"])
    ids = {"experiments": [theirs["id"], ours["id"]]}
    found = client.get("/api/v1/comparisons", params=ids).json()
    arm = found["arms"][0]
    assert [replicate["value"] for replicate in arm["replicates"]] == [4.0, 5.0, 6.0]
    assert {replicate["source"] for replicate in arm["replicates"]} == {"last"}
    assert (arm["mean"]["value"], arm["experiments"][0]["imported"]) == (5.0, "csv")
    assert found["comparable"] and found["pairs"], "its suite is not known, its environment is"
    caveats = {caveat["kind"]: caveat["text"] for caveat in found["verdict"]["caveats"]}
    assert "not one in unseen episodes" in caveats["imported"]
    assert [each["path"] for each in found["config"]] == ["environment.suite", "algorithm.name", *_SIZES]
    curves = client.get("/api/v1/comparisons/curves", params=ids).json()["arms"]
    assert (curves[0]["x"], curves[0]["value"]) == ([100, 200, 300], [3.0, 4.0, 5.0])
    timed = client.get("/api/v1/comparisons/curves", params=ids | {"axis": "wall"}).json()["arms"]
    assert timed[0]["x"] == [10, 20, 30]
    updates = client.get("/api/v1/comparisons/curves", params=ids | {"axis": "updates"}).json()["arms"]
    assert updates[0]["x"] == [], "nobody knows its updates"


_SIZES = ["population.size", "population.method.name", "replicates"]


def test_a_final_column_is_a_result_and_a_file_without_a_clock_has_no_seconds(client):
    rows = "seed,step,return,final,episodes\n1,100,2,1.5,20\n2,100,4,,\n2,200,4,2.5,\n"
    made = create(client, text=rows, environment="Pendulum-v1")
    finals = [run["final"] for run in made["runs"]]
    assert [(final["mean"], final["episodes"], final["low"]) for final in finals] == [
        (1.5, 20, "NaN"),
        (2.5, None, "NaN"),
    ]
    ids = {"experiments": [made["id"]]}
    found = client.get("/api/v1/comparisons", params=ids).json()
    assert {replicate["source"] for replicate in found["arms"][0]["replicates"]} == {"final"}
    assert "is what its file says" in next(
        caveat["text"] for caveat in found["verdict"]["caveats"] if caveat["kind"] == "imported"
    )
    assert client.get("/api/v1/comparisons/curves", params=ids | {"axis": "wall"}).json()["arms"][0]["x"] == []
    [row] = client.get("/api/v1/experiments").json()["items"]
    assert row["final_return"] == 2.0


def test_what_cannot_be_read_is_refused_whole(client, monkeypatch: pytest.MonkeyPatch):
    answer = client.post("/api/v1/imports", json=body("seed,loss\n1,2\n"))
    assert answer.status_code == 422
    assert "results/rival.csv has no column 'step'" in answer.json()["detail"]
    assert answer.json()["remedy"].startswith("Its first line must name the columns")
    assert client.post("/api/v1/imports", json=body(format="ray")).status_code == 422
    monkeypatch.setattr(service, "MOST_POINTS", 8)
    assert "9 points" in client.post("/api/v1/imports", json=body()).json()["detail"]
    assert client.get("/api/v1/experiments").json()["total"] == 0


def test_sent_twice_it_is_stored_once_and_a_huge_body_is_refused(client):
    headers = {"Idempotency-Key": "one"}
    first, second = (client.post("/api/v1/imports", json=body(), headers=headers).json() for _ in range(2))
    assert first == second and client.get("/api/v1/experiments").json()["total"] == 1
    large = {"Content-Length": str(65 * 2**20), "Content-Type": "application/json"}
    assert client.post("/api/v1/imports", content=b"{}", headers=large).status_code == 413
