"""Full disks: what needs room waits or is handed back, says why, and goes on when there is some. Nothing fails."""

import contextlib
import dataclasses
import hashlib
import os
import subprocess

import pytest

from phylon.backend.models import Attempt, Job, Run
from phylon.contract.events import Checkpoint
from phylon.contract.protocol import Claim
from phylon.run_directory import checkpoints_dir
from phylon.worker.supervisor.activity import Activity
from phylon.worker.supervisor.guard import DeviceGuard
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.service import Service
from phylon.worker.supervisor.supervise import Supervisor
from phylon.worker.supervisor.upload import PART_BYTES, Upload, file_of

MEBIBYTE = 2**20
DISK_BYTES = 24 * MEBIBYTE


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own with little room."""
    folder = tmp_path / "small-disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("only root may mount a file system")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def settings(settings, small_disk):
    return dataclasses.replace(settings, artifacts=small_disk / "artifacts", least_free_bytes=MEBIBYTE)


@pytest.fixture
def ballast(small_disk):
    """Takes all of the disk but so many bytes."""
    file = small_disk / "ballast"

    def leave(free):
        file.unlink(missing_ok=True)
        with file.open("wb") as handle:
            os.posix_fallocate(handle.fileno(), 0, max(1, DISK_BYTES - free))

    yield leave
    file.unlink(missing_ok=True)


class RecordingService(Service):
    """Remembers where the parts began that it sent."""

    def __init__(self, url: str, credential: str) -> None:
        super().__init__(url, credential)
        self.offsets: list[int] = []

    def upload_part(self, job_id, attempt, name, sha256, step, offset, total, data):
        self.offsets.append(offset)
        return super().upload_part(job_id, attempt, name, sha256, step, offset, total, data)


@pytest.fixture
def service(server, worker):
    with contextlib.closing(RecordingService(server, worker.headers["Authorization"].split()[1])) as service:
        yield service


@pytest.fixture
def upload(service, worker, run_id, tmp_path):
    """Starts to upload a checkpoint of this content."""
    claim = Claim.model_validate(worker.claim(run_id).json())
    worker.resume(run_id, claim.attempt, 0)
    checkpoints_dir(tmp_path / "run").mkdir(parents=True)
    logs = LogBuffer()

    def start(content):
        (checkpoints_dir(tmp_path / "run") / "000001.npz").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        event = Checkpoint(
            kind="checkpoint",
            seq=0,
            step=100,
            wall=1.0,
            number=1,
            file="000001.npz",
            bytes=len(content),
            sha256=digest,
        )
        return Upload(service, claim, file_of(tmp_path / "run", event), logs)

    start.logs = logs
    return start


def test_health_says_so(client, ballast):
    fine = client.get("/api/v1/health").json()
    assert (fine["status"], fine["storage"]) == ("ok", "ok")
    assert 0 < fine["storage_free_bytes"] <= DISK_BYTES
    ballast(free=MEBIBYTE // 2)
    low = client.get("/api/v1/health")
    assert (low.status_code, low.json()["status"], low.json()["storage"]) == (200, "degraded", "low")


def test_an_upload_is_refused_before_the_disk_is_full(client, worker, run_id, ballast):
    attempt, content = worker.take(run_id), bytes(2 * MEBIBYTE)
    ballast(free=2 * MEBIBYTE)
    answer = worker.upload(run_id, attempt, "a.npz", content, hashlib.sha256(content).hexdigest())
    assert answer.status_code == 507
    assert answer.json()["type"] == "/problems/storage-full"
    assert client.get(f"/api/v1/runs/{run_id}").json()["status"] == "running"


def test_a_disk_that_is_full_in_the_middle_of_a_part(app, context, client, worker, run_id, ballast):
    """Others write to the same disk, so that there may be less room than there was a moment ago."""
    app.state.context = dataclasses.replace(
        context, settings=dataclasses.replace(context.settings, least_free_bytes=-DISK_BYTES)
    )
    attempt, content = worker.take(run_id), bytes(range(256)) * (4 * MEBIBYTE // 256)
    digest = hashlib.sha256(content).hexdigest()
    ballast(free=2 * MEBIBYTE)
    assert worker.upload(run_id, attempt, "a.npz", content, digest).status_code == 507
    ballast(free=DISK_BYTES // 2)
    id = worker.upload(run_id, attempt, "a.npz", content, digest).json()["artifact_id"]
    assert client.get(f"/api/v1/artifacts/{id}/content").content == content


def test_a_worker_waits_for_room_and_goes_on_where_it_was(client, run_id, service, upload, ballast, wait_for):
    content = bytes(range(256)) * (PART_BYTES // 256) + b"the end"
    ballast(free=4 * MEBIBYTE)
    sending = upload(content)
    wait_for(lambda: not upload.logs.is_empty(), "the worker to say that it waits")
    [line] = upload.logs.offer(10)
    assert "000001.npz waits until the service has room" in line.text
    assert not sending.is_done()
    ballast(free=DISK_BYTES)
    wait_for(sending.is_done, "the upload")
    assert service.offsets[0] == 0
    assert 0 < service.offsets[-1] < PART_BYTES, "what had room was not sent again"
    assert len(upload.logs.offer(10)) == 1, "said once, not at every try"
    [artifact] = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]
    assert client.get(f"/api/v1/artifacts/{artifact['id']}/content").content == content


def test_a_later_upload_sends_only_what_is_missing(client, run_id, worker, service, upload, wait_for):
    content = bytes(range(256)) * (PART_BYTES // 256) + b"the end"
    digest = hashlib.sha256(content).hexdigest()
    service.upload_part(worker.job_id(run_id), 1, "000001.npz", digest, 100, 0, len(content), content[:PART_BYTES])
    service.offsets.clear()  # and here the worker was killed
    sending = upload(content)
    wait_for(sending.is_done, "the upload")
    assert service.offsets == [PART_BYTES]
    [artifact] = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]
    assert client.get(f"/api/v1/artifacts/{artifact['id']}/content").content == content


def test_a_worker_without_room_hands_its_job_back(client, context, worker, run_id, service, small_disk, ballast):
    ballast(free=MEBIBYTE // 2)
    supervisor = Supervisor(
        service=service,
        folders=small_disk / "runs",
        device="cpu",
        slots=1,
        worker_id=lambda: worker.id,
        guard=DeviceGuard("cpu", 1, lambda fault: None),
        activity=Activity(grace_seconds=1.0),
        least_free_bytes=MEBIBYTE,
    )
    job_id = worker.job_id(run_id)
    worker.dispatch(run_id)
    supervisor.execute(job_id)
    run = client.get(f"/api/v1/runs/{run_id}").json()
    assert run["attempts"] == 0, "it does not count"
    with context.database.read() as session:
        attempt = session.get(Attempt, (job_id, 1))
        assert attempt.end == "low_disk"
        assert "MiB left" in attempt.detail and "PHYLON_LEAST_FREE_MB" in attempt.detail
        assert session.get(Job, job_id).not_before is not None
        assert session.get(Run, run_id).job.error is None
