"""Runtime studies: submitted, dispatched, measured by a worker, gone on with by another, uploaded, deleted.

What holds for every kind of job (lease, fence, stop, attempts) is in `test_attempts`.
"""

import json
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from phylon.backend.models import Event, Job, StudyMeasurement
from phylon.spec import parse_study, study_to_yaml

from .studies import MACHINE, MEASURED, SPEC, history


@pytest.fixture
def study(client) -> int:
    answer = client.post("/api/v1/studies", json={"yaml": study_to_yaml(SPEC)})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


@pytest.fixture
def measurer(worker):
    return worker.of_studies()


def read(client, study: int) -> dict[str, Any]:
    return client.get(f"/api/v1/studies/{study}").json()


def finished(seq: int) -> dict[str, Any]:
    return {"kind": "finished", "seq": seq, "step": 4, "wall": 2.0}


def test_a_study_is_measured_to_its_end(client, measurer, study):
    fresh = read(client, study)
    assert (fresh["status"], fresh["done"], fresh["total"], fresh["machine"]) == ("queued", 0, 4, None)
    claim = measurer.claim(study).json()
    assert (claim["kind"], claim["payload"]["machine"], claim["payload"]["measurements"]) == ("study", None, [])
    assert parse_study(claim["payload"]["spec"]) == SPEC
    assert client.get("/api/v1/workers").json()["items"][0]["state"] == "busy"
    assert measurer.report(study, 1, history(end=2)).json()["command"] == "continue"
    assert measurer.report(study, 1, history()).json()["next_seq"] == 5, "reporting twice is harmless"
    measurer.report(study, 1, [{"kind": "progress", "seq": 5, "step": 4, "wall": 1.0, "text": "td3 \0"}])
    running = read(client, study)
    assert (running["status"], running["done"], running["progress"]) == ("running", 4, "td3 \ufffd")
    assert running["measurements"] == MEASURED
    measurer.report(study, 1, [finished(6)])
    ended = read(client, study)
    assert (ended["status"], ended["machine"], ended["worker_name"]) == ("finished", MACHINE, "first")
    assert ended["progress"] is None
    assert client.get("/api/v1/studies").json()["items"][0]["id"] == study
    assert "measurements" not in client.get("/api/v1/studies").json()["items"][0]
    assert client.get("/api/v1/workers").json()["items"][0]["state"] == "idle"


class TestHandOver:
    def test_another_worker_gets_what_was_measured(self, client, measurer, make_worker, study):
        measurer.take(study)
        measurer.report(study, 1, history(end=3))
        measurer.release(study, 1, "worker_shutdown")
        other = make_worker("second").of_studies()
        claim = other.claim(study).json()
        assert (claim["attempt"], claim["next_seq"]) == (2, 4)
        assert (claim["payload"]["machine"], claim["payload"]["measurements"]) == (MACHINE, MEASURED[:3])
        other.resume(study, 2, 4)
        assert read(client, study)["measurements"] == MEASURED[:3], "what is measured stays so"
        last = {"kind": "measured", "seq": 4, "step": 4, "wall": 1.0, "measurement": MEASURED[3]}
        other.report(study, 2, [last, finished(5)])
        assert (read(client, study)["status"], read(client, study)["measurements"]) == ("finished", MEASURED)

    def test_cells_of_another_machine_are_void(self, client, measurer, make_worker, study):
        """Their times could not be compared."""
        measurer.take(study)
        measurer.report(study, 1, history(end=3))
        measurer.release(study, 1)
        other = make_worker("second").of_studies()
        other.take(study, from_seq=4)
        faster = MACHINE | {"device_name": "a faster chip"}
        other.report(study, 2, history(faster, first=4, end=1))
        found = read(client, study)
        assert (found["machine"], found["done"], found["measurements"]) == (faster, 1, MEASURED[:1])

    def test_a_history_that_is_cut_back_is_folded_again(self, client, measurer, study):
        measurer.take(study)
        measurer.report(study, 1, history())
        measurer.release(study, 1)
        measurer.take(study, from_seq=2)
        found = read(client, study)
        assert (found["machine"], found["done"], found["measurements"]) == (MACHINE, 1, MEASURED[:1])


def test_a_waiting_study_stops_at_once_and_can_be_deleted(client, context, study):
    assert client.delete(f"/api/v1/studies/{study}").status_code == 409
    assert client.post(f"/api/v1/studies/{study}/stop").json()["status"] == "stopped"
    assert client.delete(f"/api/v1/studies/{study}").status_code == 204
    assert client.get(f"/api/v1/studies/{study}").status_code == 404


def test_nothing_of_a_deleted_study_is_left(client, context, measurer, study, sweep):
    measurer.take(study)
    measurer.report(study, 1, [*history(), finished(5)])
    assert client.delete(f"/api/v1/studies/{study}").status_code == 204
    sweep()
    with context.database.read() as session:
        tables = (StudyMeasurement, Event, Job)
        assert [session.scalar(select(func.count()).select_from(table)) for table in tables] == [0, 0, 0]


def test_a_study_that_cannot_work_says_why(client, measurer, study):
    measurer.take(study)
    failed = {"kind": "failed", "seq": 0, "step": 0, "wall": 0.0, "message": "no torch", "remedy": "install it"}
    measurer.report(study, 1, [failed])
    assert (read(client, study)["status"], read(client, study)["error"]) == ("failed", "no torch")


def test_runs_and_studies_wait_in_one_line(client, scheduler, submit, worker, make_worker, study):
    run = submit()["runs"][0]["id"]
    scheduler.tick()
    assert read(client, study)["status"] == "dispatched"
    assert client.get(f"/api/v1/runs/{run}").json()["status"] == "queued", "the study came first"
    make_worker("second")
    scheduler.tick()
    assert client.get(f"/api/v1/runs/{run}").json()["status"] == "dispatched"


def test_a_study_can_wait_for_one_worker(client, scheduler, measurer, make_worker):
    other = make_worker("second", device="gpu").of_studies()
    answer = client.post("/api/v1/studies", json={"yaml": study_to_yaml(SPEC), "worker_id": measurer.id})
    study = answer.json()["id"]
    assert other.claim(study).status_code == 409
    scheduler.tick()
    assert read(client, study)["status"] == "dispatched"
    assert measurer.claim(study).status_code == 200
    missing = client.post("/api/v1/studies", json={"yaml": study_to_yaml(SPEC), "worker_id": 99})
    assert missing.status_code == 404


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
    def messages(self, lines) -> Any:
        """(event, id, data) of each message."""
        message: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(": ")
            if name in ("event", "id", "data"):
                message[name] = value
            elif not line and message:
                yield message["event"], message.get("id"), json.loads(message["data"])
                message = {}

    def test_a_page_goes_on_after_what_it_loaded(self, server, client, measurer, study):
        measurer.take(study)
        assert read(client, study)["stream"] is None
        measurer.report(study, 1, history(end=2))
        loaded = read(client, study)
        address = f"{server}/api/v1/studies/{study}/events"
        with (
            httpx.Client(timeout=60, trust_env=False) as reader,
            reader.stream("GET", address, params={"after": loaded["stream"]}) as response,
        ):
            messages = self.messages(response.iter_lines())
            assert next(messages)[0] == "status"
            measurer.report(study, 1, history(end=3))
            event, position, data = next(messages)
            assert (event, data["measurement"]) == ("measured", MEASURED[2])
            while (found := next(messages))[0] != "status":
                pass
            assert (found[2]["done"], found[2]["stream"]) == (3, position)
            client.post(f"/api/v1/studies/{study}/stop")
            assert next(messages)[2]["status"] == "stopping"
            measurer.report(study, 1, [{"kind": "stopped", "seq": 4, "step": 3, "wall": 1.0}])
            assert [(event, data.get("status")) for event, _, data in messages] == [
                ("stopped", None),
                ("status", "stopped"),
            ]
        assert client.get("/api/v1/studies/99/events").status_code == 404
