"""Runtime studies: submitted, dispatched, measured by a worker, stopped, lost, uploaded, deleted."""

import base64
import json
from datetime import timedelta
from typing import Any

import httpx
import pytest

from phylon.backend.kit import clock
from phylon.backend.models import Study, StudyMeasurement
from phylon.contract.protocol import EXECUTE_STUDY, queue_name
from phylon.spec import parse_study, study_to_yaml
from phylon.study import Machine, measured

SPEC = parse_study(
    {
        **{"version": 1, "name": "small", "description": "Few.", "kind": "runtime_study", "algorithms": ["td3"]},
        **{"strategies": ["sequential", "vectorized"], "population_sizes": [1, 2]},
    }
)
MACHINE = Machine(device="cpu", device_name="a chip", device_count=1, cores=2, memory_bytes=8, versions={}).model_dump()
MEASURED = [measured(cell, [1.0, 2.0], 1, 0.5, 100, 1, None).model_dump(mode="json") for cell in SPEC.cells()]


@pytest.fixture
def study(client) -> int:
    answer = client.post("/api/v1/studies", json={"yaml": study_to_yaml(SPEC)})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def read(client, study: int) -> dict[str, Any]:
    return client.get(f"/api/v1/studies/{study}").json()


def claim(worker, study: int) -> Any:
    return worker.post(f"/studies/{study}/claim", {"worker_id": worker.id})


def tell(worker, study: int, attempt: int, position: int, measurements: list[Any]) -> Any:
    body = {"attempt": attempt, "machine": MACHINE, "position": position, "measurements": measurements}
    return worker.post(f"/studies/{study}/heartbeat", body | {"progress": "td3"})


def end(worker, study: int, attempt: int, outcome: str, detail: str = "") -> Any:
    return worker.post(f"/studies/{study}/end", {"attempt": attempt, "outcome": outcome, "detail": detail})


def test_a_study_is_measured_to_its_end(client, worker, study):
    fresh = read(client, study)
    assert (fresh["status"], fresh["done"], fresh["total"], fresh["machine"]) == ("queued", 0, 4, None)
    taken = claim(worker, study).json()
    assert parse_study(taken["spec"]) == SPEC
    assert client.get("/api/v1/workers").json()["items"][0]["state"] == "busy"
    assert tell(worker, study, 1, 0, MEASURED[:2]).json() == {"command": "continue"}
    assert tell(worker, study, 1, 0, MEASURED[:2]).status_code == 200, "telling twice is harmless"
    assert tell(worker, study, 1, 2, MEASURED[2:]).status_code == 200
    running = read(client, study)
    assert (running["status"], running["done"], running["progress"]) == ("running", 4, "td3")
    assert running["measurements"] == MEASURED
    assert end(worker, study, 1, "finished").status_code == 204
    ended = read(client, study)
    assert (ended["status"], ended["machine"], ended["worker_name"]) == ("finished", MACHINE, "first")
    assert client.get("/api/v1/studies").json()["items"][0]["id"] == study
    assert "measurements" not in client.get("/api/v1/studies").json()["items"][0]
    assert client.get("/api/v1/workers").json()["items"][0]["state"] == "idle"


def test_what_another_worker_began_is_replaced(client, worker, make_worker, study):
    claim(worker, study)
    tell(worker, study, 1, 0, MEASURED)
    assert end(worker, study, 1, "worker_shutdown").status_code == 204
    other = make_worker("second")
    assert claim(other, study).json()["attempt"] == 2
    tell(other, study, 2, 0, MEASURED[:1])
    assert read(client, study)["measurements"] == MEASURED[:1]
    stale = tell(worker, study, 1, 4, [])
    assert stale.status_code == 409
    assert end(worker, study, 1, "finished").status_code == 409


def test_a_study_is_stopped_by_the_answer_to_a_heartbeat(client, worker, study):
    claim(worker, study)
    assert client.post(f"/api/v1/studies/{study}/stop").json()["status"] == "stopping"
    assert tell(worker, study, 1, 0, MEASURED[:1]).json() == {"command": "stop"}
    end(worker, study, 1, "stopped")
    assert read(client, study)["status"] == "stopped"
    assert client.post(f"/api/v1/studies/{study}/stop").status_code == 409


def test_a_waiting_study_stops_at_once_and_can_be_deleted(client, context, study):
    assert client.delete(f"/api/v1/studies/{study}").status_code == 409
    assert client.post(f"/api/v1/studies/{study}/stop").json()["status"] == "stopped"
    assert client.delete(f"/api/v1/studies/{study}").status_code == 204
    assert client.get(f"/api/v1/studies/{study}").status_code == 404
    with context.database.read() as session:
        assert session.query(StudyMeasurement).count() == 0


def test_a_study_that_keeps_breaking_fails(client, context, worker, study):
    for attempt in range(1, context.settings.max_attempts + 1):
        claim(worker, study)
        assert end(worker, study, attempt, "crashed", "exit code -9").status_code == 204
    failed = read(client, study)
    assert failed["status"] == "failed"
    assert "exit code -9" in failed["error"]


def test_the_scheduler_gives_runs_the_first_choice(client, scheduler, redis_server, submit, worker, make_worker, study):
    with redis_server.client() as connection:
        connection.flushall()
        submit()
        scheduler.tick()
        assert read(client, study)["status"] == "queued", "the only worker was given the run"
        make_worker("second")
        scheduler.tick()
        assert read(client, study)["status"] == "dispatched"
        raw = [json.loads(connection.rpop(queue_name("cpu"))) for _ in range(2)][1]
        assert raw["headers"]["task"] == EXECUTE_STUDY
        assert json.loads(base64.b64decode(raw["body"]))[0] == [study]


def test_a_lost_worker_and_a_lost_message_send_it_back(client, context, scheduler, worker, study):
    scheduler.tick()
    age(context, study, dispatched_at=1000)
    scheduler.tick()
    assert read(client, study)["status"] in ("queued", "dispatched")
    claim(worker, study)
    age(context, study, lease_expires_at=1)
    scheduler.tick()
    assert read(client, study)["status"] in ("queued", "dispatched")
    assert tell(worker, study, 1, 0, []).status_code == 409


def age(context, study: int, **columns: float) -> None:
    with context.database.write() as session:
        for column, seconds in columns.items():
            setattr(session.get(Study, study), column, clock.now() - timedelta(seconds=seconds))


def test_a_study_can_wait_for_one_worker(client, worker, make_worker):
    other = make_worker("second")
    answer = client.post("/api/v1/studies", json={"yaml": study_to_yaml(SPEC), "worker_id": other.id})
    study = answer.json()["id"]
    assert claim(worker, study).status_code == 409
    assert claim(other, study).status_code == 200
    missing = client.post("/api/v1/studies", json={"yaml": study_to_yaml(SPEC), "worker_id": 99})
    assert missing.status_code == 404


def test_a_worker_has_one_slot(client, worker, submit, study):
    worker.take(submit()["runs"][0]["id"])
    refused = claim(worker, study)
    assert refused.status_code == 409
    assert "still holds run 1" in refused.json()["detail"]


class TestUpload:
    def file(self, *lines: dict[str, Any]) -> str:
        header = {"spec": SPEC.model_dump(mode="json"), "machine": MACHINE}
        return "".join(json.dumps(line) + "\n" for line in (header, *lines))

    def test_a_file_becomes_a_study(self, client):
        answer = client.post("/api/v1/studies/upload", json={"content": self.file(*MEASURED)})
        assert answer.status_code == 201, answer.text
        stored = read(client, answer.json()["id"])
        assert (stored["status"], stored["done"], stored["machine"]) == ("finished", 4, MACHINE)
        assert stored["measurements"] == MEASURED

    def test_half_a_study_is_one_that_was_stopped(self, client):
        answer = client.post("/api/v1/studies/upload", json={"content": self.file(MEASURED[0])})
        assert answer.json()["status"] == "stopped"

    def test_another_file_is_refused(self, client):
        answer = client.post("/api/v1/studies/upload", json={"content": "hello\n"})
        assert answer.status_code == 422
        assert "line 1" in answer.json()["detail"]
        assert client.get("/api/v1/studies").json()["items"] == []


def test_a_wrong_spec_is_refused_with_its_problems(client):
    answer = client.post("/api/v1/studies", json={"yaml": "version: 1\nkind: runtime_study\n"})
    assert answer.status_code == 422
    assert {problem["path"] for problem in answer.json()["problems"]} >= {"name", "algorithms", "population_sizes"}


class TestStream:
    def test_cells_come_as_they_are_told(self, server, client, worker, make_worker, study):
        claim(worker, study)
        tell(worker, study, 1, 0, MEASURED[:1])
        with (
            httpx.Client(timeout=60, trust_env=False) as reader,
            reader.stream("GET", f"{server}/api/v1/studies/{study}/events") as response,
        ):
            lines = response.iter_lines()
            assert news(lines)[:3] == ("running", 0, MEASURED[:1])
            tell(worker, study, 1, 1, MEASURED[1:3])
            assert news(lines)[:3] == ("running", 1, MEASURED[1:3])
            end(worker, study, 1, "worker_shutdown")
            assert news(lines) == ("queued", 3, [], None), "a change of status alone"
            other = make_worker("second")
            claim(other, study)
            while (heard := news(lines))[0] == "queued":
                pass
            assert heard[:3] == ("running", 0, MEASURED[:3]), "a new attempt may tell cells anew"
            tell(other, study, 2, 0, MEASURED)
            end(other, study, 2, "finished")
            told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
            assert (told[-1]["status"], told[-1]["done"]) == ("finished", 4)
        assert client.get("/api/v1/studies/99/events").status_code == 404


def news(lines) -> tuple[Any, ...]:
    """Status, position, measurements and progress of the next message."""
    found = json.loads(next(line for line in lines if line.startswith("data: ")).removeprefix("data: "))
    return tuple(found[name] for name in ("status", "position", "measurements", "progress"))
