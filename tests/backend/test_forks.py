"""Forks: a new experiment from a run's weights, which are copied, so that nothing later changes what it begins with."""

import hashlib

import numpy as np
import pytest

from phylon.start.material import read_start

from .checkpoints import KERNEL, checkpoint_file
from .test_retention import birth, lineage

CONTENT = checkpoint_file()
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def source(worker, submit):
    """A run with a checkpoint at step 400, after a birth in slot 1 at step 300 and before one in slot 0 at 500."""
    run_id = submit(version=2)["runs"][0]["id"]
    attempt = worker.take(run_id)
    assert worker.upload(run_id, attempt, "000020.npz", CONTENT, SHA256, step=400).is_success
    stored = {"number": 20, "file": "000020.npz", "bytes": len(CONTENT), "sha256": SHA256}
    events = [
        lineage(0, 0, *(birth(slot, slot, None) for slot in range(4))),
        lineage(1, 300, birth(4, 1, 2)),
        {"kind": "checkpoint", "seq": 2, "step": 400, "wall": 1.0, **stored},
        lineage(3, 500, birth(5, 0, 2)),
        {"kind": "stopped", "seq": 4, "step": 600, "wall": 2.0},
    ]
    assert worker.report(run_id, attempt, events).json()["next_seq"] == 5
    return run_id


def test_spans_say_whether_they_can_be_forked(client, source):
    found = client.get(f"/api/v1/runs/{source}/forkable").json()
    assert found["steps"] == [400]
    assert [(each["span"], each["member"], each["steps"]) for each in found["spans"]] == [
        (0, 0, [400]),  # it ended at 500
        (2, 2, [400]),
        (3, 3, [400]),
        (4, 1, [400]),  # span 1 had ended at 300, span 5 began at 500
    ]
    refused = client.get(f"/api/v1/runs/{source}/fork", params={"span": 5})
    assert refused.status_code == 409
    assert "span 5" in refused.json()["detail"] and "checkpoint.keep.last" in refused.json()["remedy"]
    other = client.get(f"/api/v1/runs/{source}/fork", params={"step": 200}).json()
    assert "steps 400" in other["remedy"]


def test_a_fork_begins_with_a_copy(client, worker, source, tmp_path):
    changes = {"budget.env_steps": 4000, "replicates": 2}
    made = client.post(f"/api/v1/runs/{source}/fork", json={"span": 4, "changes": changes})
    assert made.status_code == 201, made.text
    fork = made.json()
    assert fork["spec"]["population"]["start"] == [
        {"run": source, "path": None, "step": 400, "members": [1], "best": None}
    ]
    assert fork["spec"]["budget"]["env_steps"] == 4000 and fork["name"].endswith("-fork")
    [origin] = fork["started_from"]
    assert (origin["run_id"], origin["step"], origin["members"]) == (source, 400, [1])
    [listed] = client.get(f"/api/v1/runs/{source}/forks").json()["items"]
    assert (listed["id"], listed["step"], listed["members"]) == (fork["id"], 400, [1])

    parent = client.get(f"/api/v1/runs/{source}").json()["experiment_id"]
    assert client.delete(f"/api/v1/experiments/{parent}").status_code == 204
    [origin] = client.get(f"/api/v1/experiments/{fork['id']}").json()["started_from"]
    assert (origin["run_id"], origin["experiment"], origin["step"]) == (None, None, 400)

    second = fork["runs"][1]["id"]  # the file lies with the first run and serves both
    reference = worker.claim(second).json()["payload"]["start"]
    content = worker.get(f"/artifacts/{reference['artifact_id']}/content").content
    assert hashlib.sha256(content).hexdigest() == reference["sha256"]
    (tmp_path / "start.npz").write_bytes(content)
    [material] = read_start(tmp_path)
    assert (material.origin.run, material.origin.member, material.origin.span) == (source, 1, 4)
    assert material.origin.sha256 == SHA256
    np.testing.assert_array_equal(material.leaves["policy/kernel"], KERNEL[1])
    assert set(material.leaves) == {"policy/kernel", "steps"}, "neither replay nor fitness"


def test_the_start_stays_when_checkpoints_go(client, worker, source):
    """It looks like a checkpoint and is none: nothing prunes it, and a run without history has none to resume from."""
    fork = client.post(f"/api/v1/runs/{source}/fork", json={}).json()
    run_id = fork["runs"][0]["id"]
    attempt = worker.take(run_id)
    for number in (1, 2, 3, 4):
        content = b"checkpoint %d" % number
        sha256 = hashlib.sha256(content).hexdigest()
        worker.upload(run_id, attempt, f"{number:06}.npz", content, sha256, step=number)
        stored = {"number": number, "file": f"{number:06}.npz", "bytes": len(content), "sha256": sha256}
        event = {"kind": "checkpoint", "seq": number - 1, "step": number, "wall": 1.0, **stored}
        assert worker.report(run_id, attempt, [event]).is_success
    kept = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]
    assert (kept[0]["kind"], kept[0]["name"], len(kept)) == ("start", "start.npz", 3)
    worker.release(run_id, attempt)
    payload = worker.claim(run_id).json()["payload"]
    assert len(payload["checkpoints"]) == 2 and payload["start"]["artifact_id"] == kept[0]["id"]
    assert worker.resume(run_id, attempt + 1, 0).is_success, "it begins again"
    assert client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"][0]["kind"] == "start"


@pytest.mark.parametrize(
    ("start", "changes", "message"),
    [
        ({"path": "/etc"}, {}, "a service takes none"),
        ({"run": 10**6}, {}, "There is no run 1000000"),
        ({"step": 7}, {}, "keeps no checkpoint of step 7; those that are kept are of steps 400"),
        ({"members": [3]}, {}, "member 3 of run 1 at step 400 has diverged"),
        ({"best": 4}, {}, "has 3 sound members, fewer than best: 4"),
        ({}, {"algorithm": {"name": "sac", "discount": {"uniform": [0.9, 0.99]}}}, "trained td3 and this is sac"),
        ({}, {"environment": {"suite": "gymnasium", "id": "MountainCarContinuous-v0"}}, "spaces differ: Pendulum-v1"),
    ],
)
def test_what_cannot_be_started_from_is_refused(client, source, spec, start, changes, message):
    wanted = start if "path" in start else {"run": source} | start
    spec |= changes | {"population": spec["population"] | {"start": wanted}}
    answer = client.post("/api/v1/experiments", json={"spec": spec})
    assert answer.status_code == 422, answer.text
    [problem] = answer.json()["problems"]
    assert message in f"{problem['message']}; {problem['remedy']}" and problem["path"] == "population.start.0"
    assert client.get("/api/v1/experiments").json()["total"] == 1, "nothing was stored"


def test_founders_tell_where_they_come_from(client, worker, submit):
    run_id = submit(version=2)["runs"][0]["id"]
    origin = {
        **{"source": "checkpoint", "experiment": "first", "experiment_id": 3, "run": 7, "member": 1, "span": 4},
        **{"step": 400, "sha256": SHA256, "algorithm": "td3", "environment": "Pendulum-v1"},
    }
    founders = [birth(slot, slot, None) | {"origin": origin} for slot in range(4)]
    assert worker.report(run_id, worker.take(run_id), [lineage(0, 0, *founders)]).is_success
    spans = client.get(f"/api/v1/runs/{run_id}/lineage").json()["spans"]
    assert [span["origin"] for span in spans] == [origin] * 4
