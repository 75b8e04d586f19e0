"""A creating call that is sent twice creates once."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import func, select, update

from phylon.backend.kit import clock
from phylon.backend.models import Experiment, IdempotencyKey
from phylon.contract.studies import Machine
from phylon.presets import load_preset
from phylon.spec import parse_study, read_yaml
from phylon.study import unmeasured

KEY = {"Idempotency-Key": "submitted-from-a-laptop"}


def count(context, table) -> int:
    with context.database.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def experiment_body(name: str = "td3-pbt-pendulum-smoke") -> dict[str, str]:
    return {"yaml": load_preset(name).yaml}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("experiments", experiment_body()),
        ("groups", experiment_body("dmc15-smoke")),
        ("studies", experiment_body("figure2-td3-sac-smoke")),
    ],
)
def test_the_same_call_gets_the_same_answer(client, path, body):
    first = client.post(f"/api/v1/{path}", json=body, headers=KEY)
    again = client.post(f"/api/v1/{path}", json=body, headers=KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert client.get(f"/api/v1/{path}").json()["total"] == 1
    other = client.post(f"/api/v1/{path}", json=body)
    assert other.json()["id"] != first.json()["id"], "without a key every call creates"


def test_an_uploaded_study(client):
    spec = parse_study(read_yaml(load_preset("figure2-td3-sac-smoke").yaml))
    machine = Machine(device="cpu", device_name="a chip", device_count=1, cores=2, memory_bytes=1, versions={})
    header = {"spec": spec.model_dump(mode="json"), "machine": machine.model_dump()}
    cell = unmeasured(spec.cells()[0], "failed", "tried").model_dump_json()
    body = {"content": f"{json.dumps(header)}\n{cell}\n"}
    answers = [client.post("/api/v1/studies/upload", json=body, headers=KEY) for _ in range(2)]
    assert answers[0].json() == answers[1].json() and answers[0].status_code == 201
    assert client.get("/api/v1/studies").json()["total"] == 1


def test_another_body_is_refused(client, context):
    client.post("/api/v1/experiments", json=experiment_body(), headers=KEY)
    other = client.post("/api/v1/experiments", json=experiment_body("td3-halfcheetah-smoke"), headers=KEY)
    assert (other.status_code, other.json()["type"]) == (422, "/problems/key-reused")
    assert "new key" in other.json()["remedy"]
    assert count(context, Experiment) == 1


def test_a_key_belongs_to_its_route(client):
    first = client.post("/api/v1/experiments", json=experiment_body(), headers=KEY)
    second = client.post("/api/v1/groups", json=experiment_body("dmc15-smoke"), headers=KEY)
    assert (first.status_code, second.status_code) == (201, 201)


def test_a_refused_call_leaves_no_key(client, context):
    assert client.post("/api/v1/experiments", json={"yaml": "version: 1"}, headers=KEY).status_code == 422
    assert count(context, IdempotencyKey) == 0
    assert client.post("/api/v1/experiments", json=experiment_body(), headers=KEY).status_code == 201


def test_keys_are_forgotten_after_a_day(client, context):
    first = client.post("/api/v1/experiments", json=experiment_body(), headers=KEY).json()
    with context.database.write() as session:
        session.execute(update(IdempotencyKey).values(created_at=clock.now() - timedelta(hours=25)))
    assert client.post("/api/v1/experiments", json=experiment_body(), headers=KEY).json()["id"] != first["id"]
    assert count(context, IdempotencyKey) == 1


def test_calls_at_the_same_moment_create_once(server, context):
    def submit(_: int) -> httpx.Response:
        return httpx.post(f"{server}/api/v1/experiments", json=experiment_body(), headers=KEY, timeout=30)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(submit, range(8)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert count(context, Experiment) == 1
