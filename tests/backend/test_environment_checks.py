"""Checks of environments: asked for, placed, reported, begun again, followed, told to webhooks, deleted.

What holds for every kind of job (lease, fence, stop, attempts) is in `test_attempts`, who may do what in `test_matrix`.
"""

import json
from typing import Any

import pytest
from sqlalchemy import func, select

from phylon.backend.models import EnvironmentCheck, Event, Job, WebhookDelivery

from .test_own_environments import OWN as ROOM

PATH = "/api/v1/environment-checks"
OWN = ROOM["id"]
REPORT = {
    **{"suite": "gymnasium", "id": OWN, "observation": "4 float32", "action": "2 discrete values"},
    **{"max_episode_steps": 500, "algorithms": ["ppo"], "environment": {"suite": "gymnasium", "id": OWN}},
    "findings": [
        {"subject": "spaces", "verdict": "ok", "message": "they fit", "remedy": ""},
        {"subject": "determinism", "verdict": "wrong", "message": "it draws from nowhere", "remedy": "use np_random"},
    ],
}
CHECKED = {"kind": "checked", "seq": 0, "step": 1, "wall": 1.0, "report": REPORT}
FINISHED = {"kind": "finished", "seq": 1, "step": 1, "wall": 1.0}


@pytest.fixture
def checker(worker):
    """Its operator allowed the module of the environment."""
    worker.register("first", environments=[ROOM])
    return worker.of_checks()


def ask(client, environment: str = OWN, **changes: Any) -> Any:
    return client.post(PATH, json={"environment": environment, **changes})


def read(client, check: int) -> dict[str, Any]:
    return client.get(f"{PATH}/{check}").json()


def test_a_worker_that_offers_it_tries_it(client, scheduler, make_worker, checker):
    make_worker("other")  # which does not offer it
    created = ask(client, options={"size": 8})
    assert created.status_code == 201, created.text
    check = created.json()["id"]
    assert (created.json()["status"], created.json()["report"]) == ("queued", None)
    scheduler.tick()
    [job] = client.get("/api/v1/queue").json()["running"]
    assert (job["kind"], job["payload_id"], job["worker_name"]) == ("environment_check", check, "first")
    claim = checker.claim(check).json()
    assert claim["payload"] == {"environment": {"suite": "gymnasium", "id": OWN, "options": {"size": 8}}}
    checker.resume(check, 1, 0)
    checker.report(check, 1, [CHECKED, FINISHED])
    found = read(client, check)
    assert (found["status"], found["verdict"], found["report"]) == ("finished", "wrong", REPORT)
    assert client.get(PATH, params={"environment": OWN}).json()["items"] == [found]
    assert client.get(PATH, params={"environment": "CartPole-v1"}).json()["total"] == 0


def test_what_nobody_offers_is_refused_with_the_way_out(client, worker):
    refused = ask(client)
    assert refused.status_code == 409 and f"--allow {OWN.partition(':')[0]}`" in refused.json()["remedy"]
    assert ask(client, suite="gymnax", environment="Pendulum-v1").json()["detail"].endswith("the suite 'gymnax'.")
    assert "CartPole-v1" in ask(client, "CartPol-v1").json()["remedy"]
    assert ask(client, "nothing like: it").status_code == 422
    assert ask(client, "CartPole-v1", worker_id=999).status_code == 404
    assert client.get(PATH).json()["total"] == 0
    assert ask(client, wait_for_worker=True).status_code == 201


def test_it_begins_again_where_it_was_interrupted(client, checker, make_worker):
    check = ask(client).json()["id"]
    checker.take(check)
    checker.report(check, 1, [CHECKED])
    checker.release(check, 1, "worker_shutdown", "it leaves")
    assert read(client, check)["report"] == REPORT
    assert checker.take(check) == 2
    assert read(client, check)["report"] is None
    checker.report(check, 2, [CHECKED, FINISHED])
    assert read(client, check)["verdict"] == "wrong"


def test_its_end_is_streamed_and_told_to_webhooks(client, context, checker):
    hook = {"url": "https://1.1.1.1/hook", "events": ["environment_check.finished", "evaluation.finished"]}
    assert client.post("/api/v1/webhooks", json=hook).status_code == 201
    check = ask(client).json()["id"]
    checker.take(check)
    checker.report(check, 1, [CHECKED, FINISHED])
    said = client.get("/api/v1/events", params={"environment_checks": check}).text
    messages = [json.loads(line[6:]) for line in said.splitlines() if line.startswith("data: ")]
    assert {(each["kind"], each["id"]) for each in messages} == {("environment_check", check)}
    assert any(each["message"].get("status") == "finished" for each in messages)
    with context.database.read() as session:
        [body] = session.scalars(select(WebhookDelivery.body))
    told = json.loads(body)
    assert (told["type"], told["data"]["environment_check_id"]) == ("environment_check.finished", check)
    assert told["data"]["summary"] == f"environment check {check} ({OWN}) finished"


def test_nothing_of_a_deleted_check_is_left(client, context, checker, sweep):
    check = ask(client).json()["id"]
    assert client.delete(f"{PATH}/{check}").status_code == 409
    checker.take(check)
    checker.report(check, 1, [CHECKED, FINISHED])
    assert client.delete(f"{PATH}/{check}").status_code == 204
    assert client.get(f"{PATH}/{check}").status_code == 404
    sweep()
    with context.database.read() as session:
        counts = [session.scalar(select(func.count()).select_from(table)) for table in (EnvironmentCheck, Event, Job)]
    assert counts == [0, 0, 0]
