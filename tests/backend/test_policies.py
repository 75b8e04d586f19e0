"""The policy of a run: stored as a file, its card read out of it, gone with an end that is no longer one."""

import hashlib

from phylon.policy import Policy

from .policies import policy_archive


def event(kind, seq, file, content, **fields):
    place = {"seq": seq, "step": 1000, "wall": 1.0, "file": file, "bytes": len(content)}
    return {"kind": kind, **place, "sha256": hashlib.sha256(content).hexdigest(), **fields}


def test_a_policy_comes_with_its_card_and_goes_with_the_history(client, worker, run_id, tmp_path):
    attempt, content = worker.take(run_id), policy_archive(run_id)
    place = f"/api/v1/runs/{run_id}"
    answer = client.get(f"{place}/policy")
    assert answer.status_code == 404 and "policy of run" in answer.json()["detail"].lower()

    for name, bytes_ in (("000001.npz", b"weights"), ("policy.zip", content)):
        worker.upload(run_id, attempt, name, bytes_, hashlib.sha256(bytes_).hexdigest(), 1000)
    worker.report(run_id, attempt, [
        event("checkpoint", 0, "000001.npz", b"weights", number=1),
        event("policy", 1, "policy.zip", content, member=1, span=3),
    ])  # fmt: skip
    [checkpoint, stored] = client.get(f"{place}/artifacts").json()["items"]
    assert (checkpoint["kind"], stored["kind"]) == ("checkpoint", "policy")
    card = client.get(f"{place}/policy").json()
    assert (card["artifact_id"], card["bytes"]) == (stored["id"], len(content))
    assert card["action"] == {
        "kind": "box",
        "dtype": "float32",
        "shape": [1],
        "low": [-2.0],
        "high": [2.0],
        "n": None,
        "start": None,
        "counts": [],
        "starts": [],
    }
    assert (card["distribution"], card["numbers"], card["environment"]["id"]) == ("point", 21, "Pendulum-v1")
    assert (card["provenance"]["run"], card["provenance"]["span"]) == (run_id, 3)

    download = client.get(f"/api/v1/artifacts/{stored['id']}/content")
    assert download.headers["content-type"] == "application/zip"
    (tmp_path / "policy.zip").write_bytes(download.content)
    action, _ = Policy.load(tmp_path / "policy.zip").predict([1.0, 0.0, 5.0])
    assert action.shape == (1,) and -2 <= action[0] <= 2

    # The run goes on from its checkpoint: what it ended with has not happened.
    worker.release(run_id, attempt)
    worker.claim(run_id)
    worker.resume(run_id, 2, 1)
    assert [each["kind"] for each in client.get(f"{place}/artifacts").json()["items"]] == ["checkpoint"]
    assert client.get(f"{place}/policy").status_code == 404

    damaged = content[:200]
    worker.upload(run_id, 2, "policy.zip", damaged, hashlib.sha256(damaged).hexdigest(), 1000)
    assert client.get(f"{place}/policy").status_code == 404
