"""Environments of allowed modules: workers report them, the catalogue offers them, and only there their runs go."""

from typing import Any

from phylon.catalogue import EnvironmentEntry, Part, composite, multi_discrete

PART = Part(path=("goal",), kind="discrete", shape=(), dtype="int64", counts=(4,), starts=(0,))
OWN = EnvironmentEntry(
    suite="gymnasium",
    id="my_package:Reach-v0",
    family="my_package",
    observation=composite((PART,)),
    action=multi_discrete((3, 2)),
    max_episode_steps=30,
).model_dump(mode="json")
SPEC: dict[str, Any] = {"environment": "my_package:Reach-v0", "algorithm": "ppo", "budget": 10_000}


def test_without_a_worker_that_has_it_the_remedy_is_named(client, make_worker):
    make_worker("plain")
    answer = client.post("/api/v1/experiments", json={"spec": SPEC})
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    assert problem["path"] == "environment.id" and "phylon worker --allow my_package" in problem["remedy"]
    assert client.post("/api/v1/specs/validate", json={"yaml": "environment: os;x:Env-v0"}).json()["valid"] is False


def test_a_worker_offers_it_and_alone_gets_its_runs(client, make_worker, scheduler):
    plain = make_worker("plain")
    make_worker("own", environments=[OWN])
    listed = client.get("/api/v1/catalogue", params={"search": "my_package"}).json()["items"]
    assert [entry["id"] for entry in listed] == ["my_package:Reach-v0"]
    made = client.post("/api/v1/experiments", json={"spec": SPEC})
    assert made.status_code == 201, made.text
    spaces = made.json()["spec"]["environment"]["spaces"]
    assert spaces["observation"]["parts"][0]["path"] == ["goal"] and spaces["max_episode_steps"] == 30
    run = made.json()["runs"][0]["id"]
    scheduler.tick()
    workers = {worker["name"]: worker for worker in client.get("/api/v1/workers").json()["items"]}
    assert workers["own"]["environments"] == ["my_package:Reach-v0"]
    assert [slot["is_free"] for slot in workers["plain"]["slots"]] == [True]
    assert client.get(f"/api/v1/runs/{run}").json()["status"] == "dispatched"
    other = client.post("/api/v1/experiments", json={"spec": SPEC}).json()["runs"][0]["id"]
    refused = plain.claim(other)
    assert refused.status_code == 409 and "the environment 'my_package:Reach-v0'" in refused.json()["detail"]


def test_a_spec_that_brings_its_spaces_still_needs_a_worker_that_has_it(client, make_worker):
    make_worker("plain")
    spaces = {name: OWN[name] for name in ("observation", "action", "max_episode_steps")}
    own = {"id": "my_package:Reach-v0", "spaces": spaces}
    answer = client.post("/api/v1/experiments", json={"spec": SPEC | {"environment": own}})
    assert answer.status_code == 409
    assert "the environment 'my_package:Reach-v0'" in answer.json()["detail"]
