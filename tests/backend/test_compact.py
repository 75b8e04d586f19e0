"""Compression and entity tags: of complete JSON answers alone."""

import gzip
import hashlib
import json
import time

import httpx
import pytest

CATALOGUE = "/api/v1/catalogue"


def test_a_large_answer_is_compressed(server):
    with httpx.Client(base_url=server) as client:
        plain = client.get(CATALOGUE, headers={"Accept-Encoding": "identity"})
        packed = client.get(CATALOGUE)
        with client.stream("GET", CATALOGUE) as raw:
            sent = b"".join(raw.iter_raw())
    assert "content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip"
    assert packed.json() == plain.json() == json.loads(gzip.decompress(sent))
    assert len(sent) == int(packed.headers["content-length"]) < len(plain.content) / 10
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
    assert plain.headers["etag"] != packed.headers["etag"], "a strong tag names the very bytes"


@pytest.mark.parametrize("path", [CATALOGUE, "/api/v1/presets", "/api/v1/experiments", "/api/v1/groups"])
def test_what_is_known_is_not_sent_again(client, path):
    first = client.get(path)
    again = client.get(path, headers={"If-None-Match": f'"another", {first.headers["etag"]}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert "content-length" not in again.headers
    assert client.get(path, headers={"If-None-Match": '"another"'}).json() == first.json()


def test_a_changed_list_is_sent(client, submit):
    tag = client.get("/api/v1/experiments").headers["etag"]
    submit()
    answer = client.get("/api/v1/experiments", headers={"If-None-Match": tag})
    assert (answer.status_code, answer.json()["total"]) == (200, 1)
    assert answer.headers["etag"] != tag


def test_errors_and_writes_have_no_tag(client, submit):
    assert "etag" not in client.get("/api/v1/runs/77").headers
    created = client.post("/api/v1/experiments", json={"yaml": "version: 1"})
    assert "etag" not in created.headers


def test_streams_and_downloads_are_left_alone(server, worker, run_id):
    attempt = worker.take(run_id)
    content = b"0" * 5000
    assert worker.upload(run_id, attempt, "000001.npz", content, hashlib.sha256(content).hexdigest()).status_code == 200
    began = time.monotonic()
    with httpx.Client(base_url=server) as client:
        with client.stream("GET", f"/api/v1/runs/{run_id}/events") as stream:
            assert "content-encoding" not in stream.headers
            first = next(stream.iter_lines())
        assert first.startswith("event: status") and time.monotonic() - began < 10
        [artifact] = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]
        part = client.get(f"/api/v1/artifacts/{artifact['id']}/content", headers={"Range": "bytes=0-99"})
        whole = client.get(f"/api/v1/artifacts/{artifact['id']}/content")
    assert (part.status_code, part.content) == (206, content[:100])
    assert whole.content == content and "content-encoding" not in whole.headers
