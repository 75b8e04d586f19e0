"""Artifacts in an S3 bucket: what holds for a directory holds there too."""

import dataclasses
import hashlib
import logging
import random
from datetime import timedelta

import pytest

from phylon.backend.artifacts.bucket import Bucket
from phylon.backend.kit import clock
from phylon.backend.settings import SettingInvalid, from_environment
from phylon.backend.sweeping import service as sweeping

CONTENT = random.Random(1).randbytes(20 * 2**20)
"""Larger than two parts of a multipart upload."""
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PART = 8 * 2**20


@pytest.fixture
def settings(settings, bucket):
    return dataclasses.replace(settings, artifacts=bucket)


def names(context):
    return sorted(file.path for job in context.artifacts.jobs() for file in context.artifacts.files(job))


def test_round_trip_whole_and_in_ranges(client, context, worker, run_id):
    answer = worker.upload(run_id, worker.take(run_id), "000004.npz", CONTENT, SHA256, step=200)
    assert answer.status_code == 200, answer.text
    id = answer.json()["artifact_id"]
    whole = client.get(f"/api/v1/artifacts/{id}/content")
    assert whole.content == CONTENT and whole.headers["content-length"] == str(len(CONTENT))
    part = client.get(f"/api/v1/artifacts/{id}/content", headers={"Range": f"bytes={PART - 5}-{PART + 4}"})
    assert (part.status_code, part.content) == (206, CONTENT[PART - 5 : PART + 5])
    assert worker.get(f"/artifacts/{id}/content").content == CONTENT
    [name] = names(context)
    assert name.endswith("-000004.npz"), "no part is left"


def test_an_interrupted_upload_goes_on_where_it_was(client, context, worker, run_id):
    attempt = worker.take(run_id)
    sent = {"offset": 0, "total": len(CONTENT)}
    worker.upload(run_id, attempt, "000004.npz", CONTENT[:PART], SHA256, **sent)
    assert client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"] == []
    path = f"/jobs/{worker.job_id(run_id)}/artifacts/000004.npz?attempt={attempt}&sha256={SHA256}"
    assert worker.get(path).json() == {"received": PART, "artifact_id": None}
    # a part that comes twice, and one that overlaps
    worker.upload(run_id, attempt, "000004.npz", CONTENT[:PART], SHA256, **sent)
    worker.upload(
        run_id, attempt, "000004.npz", CONTENT[PART - 100 : PART + 900], SHA256, **sent | {"offset": PART - 100}
    )
    assert worker.get(path).json()["received"] == PART + 900
    rest = worker.upload(run_id, attempt, "000004.npz", CONTENT[PART + 900 :], SHA256, **sent | {"offset": PART + 900})
    id = rest.json()["artifact_id"]
    assert client.get(f"/api/v1/artifacts/{id}/content").content == CONTENT
    assert len(names(context)) == 1


def test_a_wrong_hash_stores_nothing(context, worker, run_id):
    answer = worker.upload(run_id, worker.take(run_id), "000004.npz", b"damaged", SHA256)
    assert answer.status_code == 422
    assert names(context) == []


def test_an_empty_file(client, worker, run_id):
    answer = worker.upload(run_id, worker.take(run_id), "a.npz", b"", hashlib.sha256().hexdigest())
    assert client.get(f"/api/v1/artifacts/{answer.json()['artifact_id']}/content").content == b""


def test_replaced_and_deleted_files_go(client, context, submit, worker, sweep):
    experiment = submit()
    run_id = experiment["runs"][0]["id"]
    attempt = worker.take(run_id)
    for content in (b"before", b"after"):
        worker.upload(run_id, attempt, "a.npz", content, hashlib.sha256(content).hexdigest())
    assert len(names(context)) == 1
    worker.report(run_id, attempt, [{"kind": "stopped", "seq": 0, "step": 1, "wall": 0.2}])
    assert client.delete(f"/api/v1/experiments/{experiment['id']}").status_code == 204
    sweep()
    assert names(context) == []


def test_orphans_are_swept_when_they_are_old(context, worker, run_id, monkeypatch):
    attempt = worker.take(run_id)
    worker.upload(run_id, attempt, "kept.npz", b"x", hashlib.sha256(b"x").hexdigest())
    job_id = worker.job_id(run_id)
    for path in (f"{job_id}/.abc-upload.npz.part", f"{job_id}/orphan-000001.npz", "9999/orphan-000002.npz"):
        context.artifacts.write(f"{path}.source", 0, b"data")
        context.artifacts.keep(f"{path}.source", path)
    before = names(context)
    assert len(before) == 4
    sweeping.sweep_files(context)
    assert names(context) == before, "they are young"
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(hours=2))
    sweeping.sweep_files(context)
    assert [name for name in names(context) if "orphan" in name] == []
    assert len(names(context)) == 2
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(hours=25))
    sweeping.sweep_files(context)
    [kept] = names(context)
    assert kept.endswith("-kept.npz")


def test_secrets_are_never_logged(client, caplog, worker, run_id):
    with caplog.at_level(logging.DEBUG):
        worker.upload(run_id, worker.take(run_id), "a.npz", b"x", hashlib.sha256(b"x").hexdigest())
    assert "a-secret-of-tests" not in caplog.text


@pytest.mark.parametrize("url", ["s3://", "s3://id:hush@bucket/x", "ftp://there/x"])
def test_addresses_that_name_no_bucket(url):
    with pytest.raises(SettingInvalid) as refused:
        Bucket(url)
    assert "PHYLON_ARTIFACTS" in str(refused.value) and "hush" not in str(refused.value)


def test_the_setting(tmp_path):
    assert from_environment({"PHYLON_ARTIFACTS": "s3://bucket/x"}).artifacts == "s3://bucket/x"
    assert from_environment({"PHYLON_ARTIFACTS": str(tmp_path)}).artifacts == tmp_path
