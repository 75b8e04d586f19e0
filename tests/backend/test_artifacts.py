"""Artifacts: whole or not at all, checked by their hash, named safely, and only the newest checkpoints kept."""

import hashlib
import os
import time
from pathlib import Path

import pytest

from phylon.backend.artifacts import storage


def sha(content):
    return hashlib.sha256(content).hexdigest()


def put(worker, run_id, attempt, name, content, step=0):
    answer = worker.upload(run_id, attempt, name, content, sha(content), step)
    assert answer.status_code == 200, answer.text
    return answer.json()["artifact_id"]


def files(settings):
    return sorted(path.name for path in Path(settings.artifacts).rglob("*") if path.is_file())


def checkpoint_event(seq, name, content, step):
    return {
        "kind": "checkpoint",
        "seq": seq,
        "step": step,
        "wall": 1.0,
        "number": seq,
        "file": f"checkpoints/{name}",
        "bytes": len(content),
        "sha256": sha(content),
    }


def video_event(seq, name, content, step):
    return {
        "kind": "video",
        "seq": seq,
        "step": step,
        "wall": 1.0,
        "member": 2,
        "span": 5,
        "episode_return": "NaN" if step == 200 else 12.5,
        "episode_steps": 200,
        "ended": True,
        "file": name,
        "bytes": len(content),
        "sha256": sha(content),
    }


def test_round_trip(client, settings, worker, run_id):
    attempt = worker.take(run_id)
    content = bytes(range(256)) * 20_000  # more than one buffer
    id = put(worker, run_id, attempt, "000004.npz", content, step=200)
    [listed] = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]
    assert {key: listed[key] for key in ("id", "name", "bytes", "sha256", "step")} == {
        "id": id,
        "name": "000004.npz",
        "bytes": len(content),
        "sha256": sha(content),
        "step": 200,
    }
    answer = client.get(f"/api/v1/artifacts/{id}/content")
    assert answer.content == content
    assert answer.headers["content-disposition"] == 'attachment; filename="000004.npz"'
    assert worker.get(f"/artifacts/{id}/content").content == content


def test_a_wrong_hash_stores_nothing(client, settings, worker, run_id):
    attempt = worker.take(run_id)
    answer = worker.upload(run_id, attempt, "000004.npz", b"damaged", sha(b"whole"))
    assert answer.status_code == 422
    assert sha(b"damaged") in answer.json()["detail"]
    assert client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"] == []
    assert files(settings) == []


@pytest.mark.parametrize(
    "name",
    ["..", "../x", "..%2Fx", "%2e%2e%2fx", "a/b", ".hidden", "a\\b", "%2Fetc%2Fpasswd", "x" * 201, "a%00b", "-rf"],
)
def test_a_name_cannot_leave_its_folder(settings, worker, run_id, name):
    attempt = worker.take(run_id)
    answer = worker.upload(run_id, attempt, name, b"x", sha(b"x"))
    assert answer.status_code in (404, 405, 422)
    assert files(settings) == []


@pytest.mark.parametrize("parameters", [{"sha256": "zz"}, {"step": -1}, {"attempt": 0}])
def test_bad_parameters(client, worker, run_id, parameters):
    given = {"attempt": 1, "sha256": sha(b""), "step": 0} | parameters
    headers = {"Authorization": "Bearer a-token-for-tests"}
    answer = client.put(f"/api/v1/worker/runs/{run_id}/artifacts/a", params=given, headers=headers)
    assert answer.status_code == 422


def test_the_newest_two_checkpoints_stay(client, settings, worker, run_id):
    attempt = worker.take(run_id)
    put(worker, run_id, attempt, "video.mp4", b"film")
    for number in range(1, 5):
        put(worker, run_id, attempt, f"{number:06}.npz", b"%d" % number, step=number)
    names = [artifact["name"] for artifact in client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]]
    assert names == ["video.mp4", "000003.npz", "000004.npz"]
    assert len(files(settings)) == 3


def test_the_same_name_again_replaces_the_file(client, settings, worker, run_id):
    attempt = worker.take(run_id)
    put(worker, run_id, attempt, "000002.npz", b"two")
    old = put(worker, run_id, attempt, "000004.npz", b"before")
    new = put(worker, run_id, attempt, "000004.npz", b"after")
    assert client.get(f"/api/v1/artifacts/{new}/content").content == b"after"
    assert client.get(f"/api/v1/artifacts/{old}/content").status_code == 404
    same = put(worker, run_id, attempt, "000004.npz", b"after")
    assert client.get(f"/api/v1/artifacts/{same}/content").content == b"after"
    assert len(files(settings)) == 2


def test_a_claim_names_the_newest_checkpoint_whose_bytes_are_here(client, worker, run_id):
    worker.take(run_id)
    put(worker, run_id, 1, "000002.npz", b"two", step=100)
    worker.tell(run_id, 1, [
        checkpoint_event(0, "000002.npz", b"two", 100),
        checkpoint_event(1, "000004.npz", b"four", 200),  # told, but its bytes never came
    ])  # fmt: skip
    worker.release(run_id, 1)
    reference = worker.claim(run_id).json()["checkpoint"]
    assert reference["sha256"] == sha(b"two")
    assert (reference["file"], reference["bytes"], reference["next_seq"]) == ("checkpoints/000002.npz", 3, 1)
    assert worker.get(f"/artifacts/{reference['artifact_id']}/content").content == b"two"

    # Bytes of a checkpoint that history no longer has are not offered.
    worker.resume(run_id, 2, 0)
    worker.release(run_id, 2)
    assert worker.claim(run_id).json()["checkpoint"] is None


def test_an_upload_renews_the_lease(client, context, worker, run_id):
    from phylon.backend.models import Run

    attempt = worker.take(run_id)
    with context.database.read() as session:
        before = session.get(Run, run_id).lease_expires_at
    put(worker, run_id, attempt, "000002.npz", b"two")
    with context.database.read() as session:
        assert session.get(Run, run_id).lease_expires_at > before


def test_what_a_killed_upload_left_is_swept_away_when_it_is_old(tmp_path):
    folder = tmp_path / "7"
    folder.mkdir()
    for name in (".old.part", ".young.part", "kept.npz"):
        (folder / name).write_bytes(b"x")
    two_days_ago = time.time() - 48 * 3600
    for name in (".old.part", "kept.npz"):
        os.utime(folder / name, (two_days_ago, two_days_ago))
    storage.sweep(tmp_path)
    assert sorted(file.name for file in folder.iterdir()) == [".young.part", "kept.npz"]
    storage.sweep(tmp_path / "not there yet")


def test_unknown(client, worker):
    assert client.get("/api/v1/artifacts/9/content").status_code == 404
    assert client.get("/api/v1/runs/9/artifacts").status_code == 404
    assert worker.upload(9, 1, "a", b"", sha(b"")).status_code == 404


class TestVideos:
    def test_are_listed_with_whom_they_show_and_played_in_place(self, client, worker, run_id):
        attempt = worker.take(run_id)
        film, name = bytes(range(200)), "step-000000100-member-2.mp4"
        id = put(worker, run_id, attempt, name, film, step=100)
        put(worker, run_id, attempt, "000002.npz", b"two", step=100)
        [video, checkpoint] = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]
        assert (video["kind"], video["video"]) == ("video", None), "its event has not come yet"
        assert (checkpoint["kind"], checkpoint["video"]) == ("checkpoint", None)
        worker.tell(run_id, attempt, [video_event(0, name, film, 100)])
        [video, _] = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]
        assert (video["name"], video["step"]) == (name, 100)
        assert video["video"] == {
            "member": 2,
            "span": 5,
            "episode_return": 12.5,
            "episode_steps": 200,
            "ended": True,
        }
        answer = client.get(f"/api/v1/artifacts/{id}/content")
        assert answer.content == film
        assert answer.headers["content-type"] == "video/mp4"
        assert answer.headers["content-disposition"] == f'inline; filename="{name}"'
        part = client.get(f"/api/v1/artifacts/{id}/content", headers={"Range": "bytes=10-19"})
        assert (part.status_code, part.content) == (206, film[10:20])

    def test_of_a_future_that_is_cut_off_do_not_survive(self, client, settings, worker, run_id):
        worker.take(run_id)
        films = [(f"step-000000{step}-member-2.mp4", b"film of %d" % step, step) for step in (100, 200, 300)]
        for name, film, step in films:
            put(worker, run_id, 1, name, film, step)
        put(worker, run_id, 1, "000002.npz", b"two", step=100)
        worker.tell(run_id, 1, [
            video_event(0, *films[0]),
            checkpoint_event(1, "000002.npz", b"two", 100),
            video_event(2, *films[1]),
        ])  # fmt: skip
        listed = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]
        assert [artifact["video"] and artifact["video"]["episode_return"] for artifact in listed] == [
            12.5,
            "NaN",
            None,
            None,
        ]
        worker.release(run_id, 1)
        worker.claim(run_id)
        worker.resume(run_id, 2, 2)
        names = [artifact["name"] for artifact in client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]]
        assert names == [films[0][0], "000002.npz"]
        assert len(files(settings)) == 2

        # What is filmed again comes back, once.
        put(worker, run_id, 2, *films[1])
        put(worker, run_id, 2, *films[1])
        assert len(client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]) == 3
        worker.release(run_id, 2)
        worker.claim(run_id)
        worker.resume(run_id, 3, 0)
        assert [artifact["kind"] for artifact in client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]] == [
            "checkpoint"
        ]
