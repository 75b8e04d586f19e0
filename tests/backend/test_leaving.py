"""Who leaves in the middle of a request or an answer is no failure of the service: no traceback is logged."""

import hashlib
import socket
import struct
from urllib.parse import urlsplit

import pytest
import structlog

from phylon.backend.models import Run


def metrics(seq):
    return {"kind": "metrics", "seq": seq, "step": seq, "wall": 0.5, "frames": {"a": [1.0] * 500}}


class Leaver:
    """Talks over a plain socket, and goes without a word or with a reset."""

    def __init__(self, server):
        address = urlsplit(server)
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # the service cannot send much ahead
        self._socket.settimeout(60)
        self._socket.connect((address.hostname, address.port))

    def send(self, head, content=b""):
        self._socket.sendall(f"{head}\r\nHost: 127.0.0.1\r\n\r\n".encode() + content)

    def read_some(self):
        return self._socket.recv(1000)

    def leave(self, *, with_reset):
        if with_reset:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()


@pytest.fixture(params=["closed", "reset"])
def leave(request, server, app, caplog, wait_for):
    """Leaves, waits until the service has noticed, and returns what was logged with a traceback."""
    with structlog.testing.capture_logs() as ours:

        def leave(reader):
            reader.leave(with_reset=request.param == "reset")
            wait_for(lambda: not app.state.under_way, "the service to notice")
            libraries = [record.getMessage() for record in caplog.records if record.exc_info]
            return libraries + [entry["event"] for entry in ours if entry.get("exc_info")]

        yield leave


@pytest.fixture
def app(app):
    """Knows which requests it is occupied with."""
    under_way = app.state.under_way = set()

    class Counting:
        def __init__(self, inner):
            self._inner = inner

        async def __call__(self, scope, receive, send):
            if scope["type"] != "http":
                return await self._inner(scope, receive, send)
            under_way.add(id(scope))
            try:
                await self._inner(scope, receive, send)
            finally:
                under_way.discard(id(scope))

    app.add_middleware(Counting)
    return app


@pytest.fixture
def long_history(worker, run_id):
    attempt = worker.take(run_id)
    for begin in range(0, 1000, 200):
        worker.report(run_id, attempt, [metrics(seq) for seq in range(begin, begin + 200)])
    return f"/api/v1/runs/{run_id}"


def test_in_a_live_history(server, long_history, leave):
    reader = Leaver(server)
    reader.send(f"GET {long_history}/events HTTP/1.1")
    assert b"200 OK" in reader.read_some()
    assert leave(reader) == []


def test_in_an_export(server, long_history, leave):
    reader = Leaver(server)
    reader.send(f"GET {long_history}/export/metrics.csv HTTP/1.1")
    assert b"200 OK" in reader.read_some()
    assert leave(reader) == []


def test_in_a_file(server, client, worker, run_id, leave):
    content = bytes(20_000_000)
    worker.upload(run_id, worker.take(run_id), "film.mp4", content, hashlib.sha256(content).hexdigest())
    (file,) = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"]
    reader = Leaver(server)
    reader.send(f"GET /api/v1/artifacts/{file['id']}/content HTTP/1.1")
    assert b"200 OK" in reader.read_some()
    assert leave(reader) == []


def test_in_an_upload(server, worker, run_id, settings, leave, wait_for):
    """A worker that dies while it sends a checkpoint; what came stays, for an upload that goes on there."""
    attempt = worker.take(run_id)
    path = (
        f"/api/v1/worker/jobs/{worker.job_id(run_id)}/artifacts/000001.npz?attempt={attempt}&step=0&sha256={'0' * 64}"
    )
    sender = Leaver(server)
    head = f"PUT {path} HTTP/1.1\r\nAuthorization: {worker.headers['Authorization']}\r\nContent-Length: 50000000"
    sender.send(head, bytes(3_000_000))
    wait_for(lambda: list(settings.artifacts.rglob("*.part")), "the upload to begin")
    assert leave(sender) == []
    assert [file.suffix for file in settings.artifacts.rglob("*.*")] == [".part"]


def test_in_a_submission(server, context, leave):
    sender = Leaver(server)
    sender.send(
        "POST /api/v1/experiments HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 500", b'{"spec":'
    )
    assert leave(sender) == []
    with context.database.read() as session:
        assert session.query(Run).count() == 0
