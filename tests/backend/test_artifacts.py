"""Artifacts: whole or not at all, checked by their hash, named safely, sent in parts, read in ranges."""

import hashlib
from pathlib import Path

import pytest

from phylon.backend.models import Run

DATABASES = ("sqlite",)
"""Files are the same to both."""


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
    worker.take(run_id)
    path = f"/api/v1/worker/jobs/{worker.job_id(run_id)}/artifacts/a"
    answer = client.put(path, params=given, headers=worker.headers)
    assert answer.status_code == 422


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


def test_a_claim_names_the_checkpoints_whose_bytes_are_here_the_newest_first(client, worker, run_id):
    worker.take(run_id)
    for number, content in enumerate([b"one", b"two", b"three"]):
        put(worker, run_id, 1, f"{number:06}.npz", content, step=100 * number)
        worker.report(run_id, 1, [checkpoint_event(number, f"{number:06}.npz", content, 100 * number)])
    worker.release(run_id, 1)
    offered = worker.claim(run_id).json()["payload"]["checkpoints"]
    assert [(each["sha256"], each["next_seq"]) for each in offered] == [(sha(b"three"), 3), (sha(b"two"), 2)]


def test_a_claim_names_no_checkpoint_that_is_not_here(client, worker, run_id):
    worker.take(run_id)
    put(worker, run_id, 1, "000002.npz", b"two", step=100)
    worker.report(run_id, 1, [
        checkpoint_event(0, "000002.npz", b"two", 100),
        checkpoint_event(1, "000004.npz", b"four", 200),  # reported, but its bytes never came
    ])  # fmt: skip
    worker.release(run_id, 1)
    [reference] = worker.claim(run_id).json()["payload"]["checkpoints"]
    assert reference["sha256"] == sha(b"two")
    assert (reference["file"], reference["bytes"], reference["next_seq"]) == ("checkpoints/000002.npz", 3, 1)
    assert worker.get(f"/artifacts/{reference['artifact_id']}/content").content == b"two"

    # Bytes of a checkpoint that history no longer has are not offered.
    worker.resume(run_id, 2, 0)
    worker.release(run_id, 2)
    assert worker.claim(run_id).json()["payload"]["checkpoints"] == []


def test_an_upload_renews_the_lease(client, context, worker, run_id):
    attempt = worker.take(run_id)
    with context.database.read() as session:
        before = session.get(Run, run_id).job.lease_expires_at
    put(worker, run_id, attempt, "000002.npz", b"two")
    with context.database.read() as session:
        assert session.get(Run, run_id).job.lease_expires_at > before


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
        worker.report(run_id, attempt, [video_event(0, name, film, 100)])
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
        worker.report(run_id, 1, [
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


class TestParts:
    def test_an_interrupted_upload_goes_on_where_it_was(self, client, settings, worker, run_id):
        attempt, content = worker.take(run_id), bytes(range(256)) * 20_000
        half = len(content) // 2
        first = worker.upload(
            run_id, attempt, "000004.npz", content[:half], sha(content), step=200, offset=0, total=len(content)
        )
        assert first.json() == {"artifact_id": None, "received": half}
        assert client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"] == [], "half a file is no file"

        path = f"/jobs/{worker.job_id(run_id)}/artifacts/000004.npz?attempt={attempt}&sha256={sha(content)}"
        assert worker.get(path).json() == {"received": half, "artifact_id": None}
        last = worker.upload(
            run_id, attempt, "000004.npz", content[half:], sha(content), step=200, offset=half, total=len(content)
        ).json()
        assert last["received"] == len(content)
        assert client.get(f"/api/v1/artifacts/{last['artifact_id']}/content").content == content
        assert worker.get(path).json() == {"received": len(content), "artifact_id": last["artifact_id"]}
        assert len(files(settings)) == 1

    def test_a_part_may_come_twice(self, client, worker, run_id):
        attempt, content = worker.take(run_id), b"abcdef"
        for offset, end in ((0, 4), (0, 4), (2, 4), (4, 6)):
            answer = worker.upload(
                run_id, attempt, "a.npz", content[offset:end], sha(content), offset=offset, total=len(content)
            ).json()
        assert client.get(f"/api/v1/artifacts/{answer['artifact_id']}/content").content == content

    def test_a_lost_answer_costs_nothing(self, settings, worker, run_id):
        attempt = worker.take(run_id)
        ids = {put(worker, run_id, attempt, "a.npz", b"content") for _ in range(2)}
        assert len(ids) == 1 and len(files(settings)) == 1

    def test_a_gap_is_refused(self, settings, worker, run_id):
        attempt = worker.take(run_id)
        answer = worker.upload(run_id, attempt, "a.npz", b"def", sha(b"abcdef"), offset=3, total=6)
        assert answer.status_code == 416
        assert "only 0 bytes are here" in answer.json()["detail"]
        assert files(settings) == []

    def test_damaged_parts_are_forgotten(self, settings, worker, run_id):
        attempt = worker.take(run_id)
        worker.upload(run_id, attempt, "a.npz", b"abX", sha(b"abcdef"), offset=0, total=6)
        assert worker.upload(run_id, attempt, "a.npz", b"def", sha(b"abcdef"), offset=3, total=6).status_code == 422
        assert files(settings) == []
        assert worker.upload(run_id, attempt, "a.npz", b"abcdef", sha(b"abcdef")).status_code == 200

    def test_another_attempt_goes_on_with_the_same_file(self, worker, run_id):
        worker.take(run_id)
        worker.upload(run_id, 1, "a.npz", b"abc", sha(b"abcdef"), offset=0, total=6)
        worker.release(run_id, 1)
        worker.take(run_id)
        path = f"/jobs/{worker.job_id(run_id)}/artifacts/a.npz?sha256={sha(b'abcdef')}&attempt="
        assert worker.get(f"{path}1").status_code == 409
        assert worker.get(f"{path}2").json() == {"received": 3, "artifact_id": None}
        assert worker.upload(run_id, 2, "a.npz", b"def", sha(b"abcdef"), offset=3).json()["artifact_id"] is not None


class TestRanges:
    CONTENT = bytes(range(200))

    @pytest.fixture
    def ask(self, client, worker, run_id):
        id = put(worker, run_id, worker.take(run_id), "000002.npz", self.CONTENT)
        return lambda **headers: client.get(f"/api/v1/artifacts/{id}/content", headers=headers)

    @pytest.mark.parametrize(
        ("asked", "expected"),
        [("0-9", slice(10)), ("190-", slice(190, 200)), ("-5", slice(195, 200)), ("0-999", slice(200))],
    )
    def test_a_part(self, ask, asked, expected):
        answer = ask(range=f"bytes={asked}")
        start, end, _ = expected.indices(200)
        assert (answer.status_code, answer.content) == (206, self.CONTENT[expected])
        assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/200"
        assert answer.headers["content-length"] == str(end - start)

    @pytest.mark.parametrize("asked", ["bytes=200-", "bytes=9-3", "bytes=-0", "bytes=-"])
    def test_outside_of_the_file(self, ask, asked):
        assert ask(range=asked).status_code == 416

    @pytest.mark.parametrize("asked", ["bytes=0-1,4-5", "lines=0-1", "nonsense"])
    def test_what_is_not_understood_is_answered_with_all_of_it(self, ask, asked):
        answer = ask(range=asked)
        assert (answer.status_code, answer.content) == (200, self.CONTENT)
        assert answer.headers["accept-ranges"] == "bytes"

    def test_only_of_the_file_that_is_meant(self, ask):
        tag = ask().headers["etag"]
        assert ask(**{"range": "bytes=0-9", "if-range": tag}).status_code == 206
        assert ask(**{"range": "bytes=0-9", "if-range": '"another"'}).status_code == 200
