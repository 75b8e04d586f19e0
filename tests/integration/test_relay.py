"""The relay against a service that is slow, away, or no longer wants to hear: what is sent, and in which order."""

import contextlib
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from phylon.contract.events import run_event
from phylon.contract.protocol import Claim, RunPayload
from phylon.run_directory import checkpoints_dir, spool_path, videos_dir
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.relay import Relay
from phylon.worker.supervisor.service import Service

LEASE_SECONDS = 0.8


class ScriptedService:
    """Speaks the worker protocol over real HTTP. It stores like the real one, and misbehaves when asked to."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, list[str]]] = []  # ("heartbeat", kinds of its events) or ("upload", [its name])
        self.next_seq = 0
        self.next_log_line = 0
        self.log: list[str] = []
        self.heartbeat_status = 200
        self.upload_status = 200
        self.upload_may_end = threading.Event()
        self.upload_may_end.set()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(*service.heartbeat(json.loads(body)))

            def do_PUT(self):
                content = self.rfile.read(int(self.headers["Content-Length"]))
                service.upload_may_end.wait(30)
                assert hashlib.sha256(content).hexdigest() in self.path
                service.heard.append(("upload", [self.path.partition("?")[0].rpartition("/")[2]]))
                body = {"artifact_id": 1, "received": 1} if service.upload_status == 200 else {"detail": "scripted"}
                self.answer(service.upload_status, body)

            def answer(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def heartbeat(self, body):
        if self.heartbeat_status != 200:
            return self.heartbeat_status, {"detail": "scripted"}
        self.heard.append(("heartbeat", [event["kind"] for event in body["events"]]))
        for event in body["events"]:
            if event["seq"] == self.next_seq:
                self.next_seq += 1
        for line in body["logs"]:
            if line["line"] == self.next_log_line:
                self.log.append(line["text"])
                self.next_log_line += 1
        return 200, {"next_seq": self.next_seq, "next_log_line": self.next_log_line, "command": "continue"}

    @property
    def heartbeats(self) -> list[list[str]]:
        return [kinds for what, kinds in self.heard if what == "heartbeat"]

    def reported(self) -> list[str]:
        return [kind for kinds in self.heartbeats for kind in kinds]


@pytest.fixture
def service():
    scripted = ScriptedService()
    yield scripted
    scripted.upload_may_end.set()
    scripted.server.shutdown()
    scripted.server.server_close()


@pytest.fixture
def logs():
    return LogBuffer()


@pytest.fixture
def relay(service, logs, make_spec):
    url = f"http://127.0.0.1:{service.server.server_port}"
    payload = RunPayload(run_id=1, spec=make_spec(), seed=0, checkpoints=[])
    claim = Claim(job_id=1, kind="run", attempt=1, lease_seconds=LEASE_SECONDS, slots=[0], next_seq=0, payload=payload)
    with contextlib.closing(Service(url, "token")) as client:
        relay = Relay(client, claim, logs, run_event)
        relay.start()
        yield relay
        relay.close()


@pytest.fixture
def run_dir(tmp_path):
    checkpoints_dir(tmp_path).mkdir()
    return tmp_path


def write(run_dir, *kinds: str) -> None:
    """Appends events to the spool as a trainer does."""
    path = spool_path(run_dir)
    seq = len(path.read_text().splitlines()) if path.exists() else 0
    content = b"weights"
    own_fields = {
        "metrics": {"frames": {"evaluation/return": ["NaN", 1.0]}},
        "checkpoint": {
            "number": 4,
            "file": "000004.npz",
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        },
        "video": {
            "member": 1,
            "span": 1,
            "episode_return": 2.0,
            "episode_steps": 9,
            "ended": True,
            "file": "step-000000100-member-1.mp4",
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        },
        "finished": {"best_member": 0, "fitness": 1.0},
    }
    for kind in kinds:
        if kind == "video":
            videos_dir(run_dir).mkdir(exist_ok=True)
            (videos_dir(run_dir) / own_fields["video"]["file"]).write_bytes(content)
        if kind == "checkpoint":
            (checkpoints_dir(run_dir) / "000004.npz").write_bytes(content)
        with path.open("a") as spool:
            spool.write(json.dumps({"kind": kind, "seq": seq, "step": 0, "wall": 0.0} | own_fields[kind]) + "\n")
        seq += 1


def wait(is_there) -> None:
    deadline = time.monotonic() + 20
    while not is_there():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_the_lease_is_renewed_before_there_is_anything_to_tell(service, relay):
    wait(lambda: len(service.heartbeats) >= 3)
    assert service.reported() == []


def test_heartbeats_go_on_while_a_checkpoint_uploads_and_its_event_waits_for_it(service, relay, run_dir):
    service.upload_may_end.clear()
    write(run_dir, "metrics", "checkpoint", "metrics")
    relay.follow(run_dir, 0)
    wait(lambda: service.reported() == ["metrics"])
    before = len(service.heartbeats)
    wait(lambda: len(service.heartbeats) >= before + 3)
    assert service.reported() == ["metrics"]
    service.upload_may_end.set()
    wait(lambda: service.reported() == ["metrics", "checkpoint", "metrics"])
    upload = service.heard.index(("upload", ["000004.npz"]))
    assert not any("checkpoint" in kinds for _, kinds in service.heard[:upload])


def test_a_checkpoint_that_was_replaced_meanwhile_does_not_hold_up_the_history(service, relay, run_dir):
    write(run_dir, "checkpoint", "metrics")
    (checkpoints_dir(run_dir) / "000004.npz").unlink()
    relay.follow(run_dir, 0)
    wait(lambda: service.reported() == ["checkpoint", "metrics"])
    wait(lambda: any("checkpoint 000004.npz is not stored: it was gone" in line for line in service.log))


def test_a_video_is_stored_before_it_is_told_of(service, relay, run_dir):
    write(run_dir, "metrics", "video", "checkpoint")
    relay.follow(run_dir, 0)
    wait(lambda: service.reported() == ["metrics", "video", "checkpoint"])
    uploads = [names[0] for what, names in service.heard if what == "upload"]
    assert uploads == ["step-000000100-member-1.mp4", "000004.npz"]
    upload = service.heard.index(("upload", uploads[:1]))
    assert not any("video" in kinds for _, kinds in service.heard[:upload])


def test_a_video_that_the_service_refuses_ends_nothing(service, relay, run_dir):
    service.upload_status = 422
    write(run_dir, "video", "metrics")
    relay.follow(run_dir, 0)
    wait(lambda: service.reported() == ["video", "metrics"])
    wait(lambda: any("member-1.mp4 is not stored: PUT" in line for line in service.log))
    assert not relay.over.is_set()


def test_the_outcome_is_told_last_when_the_trainer_has_ended_and_its_output_is_stored(service, relay, run_dir, logs):
    write(run_dir, "metrics", "finished")
    relay.follow(run_dir, 0)
    wait(lambda: service.reported() == ["metrics"])
    before = len(service.heartbeats)
    wait(lambda: len(service.heartbeats) >= before + 2)
    assert relay.outcome is None
    for number in range(2500):
        logs.add("trainer", f"line {number}")
    relay.child_ended()
    wait(relay.over.is_set)
    assert relay.outcome is not None
    assert service.reported() == ["metrics", "finished"]
    assert service.log == [f"line {number}" for number in range(2500)]


def test_nothing_is_lost_or_doubled_while_the_service_is_away(service, relay, run_dir, logs):
    relay.follow(run_dir, 0)
    service.heartbeat_status = 503
    write(run_dir, *["metrics"] * 50)
    logs.add("trainer", "said into the void")
    time.sleep(2 * LEASE_SECONDS)
    assert not relay.over.is_set()
    service.heartbeat_status = 200
    wait(lambda: service.next_seq == 50)
    relay.child_ended()
    wait(relay.over.is_set)
    assert service.reported() == ["metrics"] * 50
    assert service.log == ["said into the void"]
    assert relay.failure is None
    assert relay.refusal is None


def test_a_refused_attempt_is_over_at_once(service, relay, run_dir):
    relay.follow(run_dir, 0)
    service.heartbeat_status = 409
    wait(relay.over.is_set)
    assert relay.refusal is not None
    assert "409: scripted" in str(relay.refusal)


def test_a_heartbeat_that_the_service_cannot_understand_ends_the_attempt_with_its_words(service, relay, run_dir):
    relay.follow(run_dir, 0)
    service.heartbeat_status = 422
    wait(relay.over.is_set)
    assert relay.refusal is None
    assert "422: scripted" in str(relay.failure)


def test_a_damaged_spool_is_not_relayed(relay, run_dir):
    spool_path(run_dir).write_text('{"kind": "nonsense"}\n')
    relay.follow(run_dir, 0)
    wait(relay.over.is_set)
    assert "not an event" in str(relay.failure)


def test_what_the_service_forgot_is_told_again(service, relay, run_dir):
    write(run_dir, *["metrics"] * 4)
    relay.follow(run_dir, 0)
    wait(lambda: service.next_seq == 4)
    service.next_seq = 1  # restored from a backup
    write(run_dir, "metrics")
    wait(lambda: service.next_seq == 5)
