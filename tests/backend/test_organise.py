"""The table of experiments: queries, order, pages; tags, notes, stars, the archive and saved views."""

import pytest
import yaml

from phylon.contract.experiments import BulkAction

from .conftest import SPEC

PATH = "/api/v1/experiments"


def finish(worker, run_id, final, seq=0):
    worker.take(run_id)
    returns = {
        **{"kind": "metrics", "seq": seq, "step": 2000, "wall": 1.0},
        "frames": {"evaluation/return": [final, final - 1.0], "evaluation/length": [10.0, 20.0]},
    }
    numbers = {"mean": final, "stderr": 1.0, "low": final - 2, "high": final + 2, "last_return": final}
    end = {
        **{"kind": "finished", "seq": seq + 1, "step": 2000, "wall": 2.0, "best_member": 0, "fitness": final},
        "final": {**numbers, "episodes": 4, "selection_bias": 0.0, "member": 0, "span": 0, "unseen_levels": False},
    }
    answer = worker.report(run_id, 1, [returns, end])
    assert answer.is_success and answer.json()["next_seq"] == seq + 2, answer.text


@pytest.fixture
def names(client):
    def names(query=None, sort=None, **more):
        answer = client.get(PATH, params={"query": query, "sort": sort} | more)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        assert page["total"] >= len(page["items"])
        return [item["name"] for item in page["items"]]

    return names


def test_the_table(client, submit, worker, names, spec):
    """One story on one database: what is asked for is found, in the order that was asked for."""
    sac = {"name": "sac", "batch_size": 64, "network": {"hidden": [8, 8]}, "discount": {"uniform": [0.9, 0.99]}}
    a = submit(name="alpha")
    b = submit(name="Beta", replicates=2, algorithm=sac)
    c = submit(name="gamma")
    finish(worker, a["runs"][0]["id"], 10.0)
    finish(worker, b["runs"][0]["id"], 30.0)
    finish(worker, b["runs"][1]["id"], 20.0)

    assert names() == ["gamma", "Beta", "alpha"]
    found = {
        "algorithm = TD3": ["gamma", "alpha"],
        "algorithm = td3 and env ~ pend and final > 5": ["alpha"],
        "final >= 10 and final < 26": ["Beta", "alpha"],  # 25 is the mean of two runs
        "best > 29": ["Beta"],
        "final = none": ["gamma"],
        "final != 10": ["gamma", "Beta"],
        "algorithm.batch_size = 16": ["gamma", "alpha"],
        "spec.algorithm.batch_size > 16": ["Beta"],
        "not spec.algorithm.batch_size > 16": ["gamma", "alpha"],
        "spec.algorithm.name in (sac, dqn)": ["Beta"],
        "spec.environment.id ~ pendulum": ["gamma", "Beta", "alpha"],
        "spec.nothing.here = none": ["gamma", "Beta", "alpha"],
        "metric.evaluation/length = 15": ["Beta", "alpha"],
        "status = queued": ["gamma"],
        "status = finished": ["Beta", "alpha"],
        "status not in (finished, failed)": ["gamma"],
        "replicates = 2 or name = GAMMA": ["gamma", "Beta"],
        "progress < 100": ["gamma"],
        "ended > 1h and created > 1h": ["Beta", "alpha"],
        "ended = none": ["gamma"],
        "owner = local and project = default": ["gamma", "Beta", "alpha"],
        "group = none and error = none": ["gamma", "Beta", "alpha"],
        'name ~ "%"': [],
        "bet": ["Beta"],
        f"id in ({a['id']}, {c['id']})": ["gamma", "alpha"],
    }
    assert {query: names(query) for query in found} == found

    orders = {
        "name": ["alpha", "Beta", "gamma"],
        "-name": ["gamma", "Beta", "alpha"],
        "final": ["alpha", "Beta", "gamma"],  # whatever the direction, those without a value come last
        "-final": ["Beta", "alpha", "gamma"],
        "status": ["gamma", "Beta", "alpha"],
        "-spec.algorithm.batch_size": ["Beta", "gamma", "alpha"],
        "created": ["alpha", "Beta", "gamma"],
        "-replicates": ["Beta", "gamma", "alpha"],
        "-ended": ["Beta", "alpha", "gamma"],
        "owner": ["gamma", "Beta", "alpha"],
    }
    assert {sort: names(sort=sort) for sort in orders} == orders
    for sort, expected in orders.items():  # page by page, and from the middle
        walked, after = [], None
        while True:
            answer = client.get(PATH, params={"sort": sort, "limit": 1} | ({"after": after} if after else {}))
            assert answer.status_code == 200, (sort, answer.text)
            page = answer.json()
            walked += [item["name"] for item in page["items"]]
            after = page["next"]
            if after is None:
                break
        assert walked == expected, sort
        assert names(sort=sort, limit=1, offset=1) == expected[1:2]

    shown = client.get(PATH, params={"column": ["spec.algorithm.batch_size", "metric.evaluation/length"]}).json()
    assert [item["values"] for item in shown["items"]] == [
        {"spec.algorithm.batch_size": 16.0},
        {"spec.algorithm.batch_size": 64.0, "metric.evaluation/length": 15.0},
        {"spec.algorithm.batch_size": 16.0, "metric.evaluation/length": 15.0},
    ]
    counts = client.get(f"{PATH}/counts", params={"by": "algorithm", "query": "final = none or final > 0"}).json()
    assert [(each["value"], each["count"], each["final_return"]) for each in counts["items"]] == [
        ("td3", 2, 10.0),
        ("sac", 1, 25.0),
    ]
    for by in ("status", "final", "spec.algorithm.batch_size", "star", "tag", "created", "owner"):
        for each in client.get(f"{PATH}/counts", params={"by": by}).json()["items"]:
            assert len(names(each["query"])) == each["count"], each
    fields = {each["name"]: each["kind"] for each in client.get(f"{PATH}/fields").json()["items"]}
    assert fields["final"] == "number" and fields["spec.budget.env_steps"] == "spec"
    assert fields["metric.evaluation/length"] == "metric"

    refused = client.get(PATH, params={"query": "finl > 3"})
    assert refused.status_code == 422 and "did you mean final" in refused.json()["remedy"].lower()
    assert refused.json()["problems"][0]["path"] == "query.0-4"
    assert client.get(PATH, params={"sort": "color"}).status_code == 422
    assert client.get(PATH, params={"after": "W10"}).status_code == 422


def test_keeping_order(client, submit, names, worker):
    a, b, c = (submit(name=name)["id"] for name in ("a", "b", "c"))
    changed = client.patch(
        f"{PATH}/{a}", json={"name": "renamed", "notes": "# Why\n<b>x</b>", "tags": ["x", " paper "]}
    )
    assert changed.status_code == 200, changed.text
    read = client.get(f"{PATH}/{a}").json()
    assert (read["name"], read["notes"], read["tags"]) == ("renamed", "# Why\n<b>x</b>", ["paper", "x"])
    assert (
        names("tag = paper") == ["renamed"]
        and names("tag = none") == ["c", "b"]
        and names("notes ~ why") == ["renamed"]
    )
    assert client.patch(f"{PATH}/{a}", json={"tags": ["a,b"]}).status_code == 422
    assert client.patch(f"{PATH}/{a}", json={"name": "no spaces"}).status_code == 422

    assert client.put(f"{PATH}/{b}/star", json={"starred": True}).json()["starred"] is True
    assert client.put(f"{PATH}/{b}/star", json={"starred": True}).status_code == 200
    assert names("star = yes") == ["b"]

    def act(action, *ids, tag=None):
        return client.post(f"{PATH}/bulk", json={"ids": list(ids), "action": action, "tag": tag}).json()

    assert act(BulkAction.TAG, a, b, tag="both") == {"done": [a, b], "refused": []}
    assert names("tag = both") == ["b", "renamed"]
    act(BulkAction.UNTAG, a, tag="both")
    assert names("tag = both") == ["b"]
    assert act("tag", a)["detail"] == "`tag` needs a tag."
    act(BulkAction.UNSTAR, b)
    assert names("star = yes") == []
    act(BulkAction.ARCHIVE, a, b)
    assert names() == ["c"] and names("archived = yes") == ["b", "renamed"]
    act(BulkAction.UNARCHIVE, b)
    report = act(BulkAction.DELETE, a, b, 999)
    assert report["done"] == [] and [each["id"] for each in report["refused"]] == [a, b, 999]
    assert "have not ended" in report["refused"][0]["reason"]
    assert act(BulkAction.PAUSE, b)["done"] == [b]
    assert names("status = paused") == ["b"]
    assert act(BulkAction.RESUME, b)["done"] == [b] and act(BulkAction.RETRY, b)["done"] == []
    assert act(BulkAction.STOP, a, b, c)["done"] == [a, b, c]
    assert act(BulkAction.DELETE, a, b)["done"] == [a, b]
    assert names("archived in (yes, no)") == ["c"]

    layout = {"columns": ["name", "return", "spec.seed"], "sort": "-final", "group_by": "algorithm"}
    view = {"name": "mine", "query": "tag = paper", "layout": layout}
    stored = client.post("/api/v1/views", json=view).json()
    assert {key: stored[key] for key in view} == view and stored["project"] is None
    client.patch(f"/api/v1/views/{stored['id']}", json={"query": "star = yes"})
    assert [each["query"] for each in client.get("/api/v1/views").json()["items"]] == ["star = yes"]
    assert client.post("/api/v1/views", json=view | {"query": "tag ="}).status_code == 422
    assert client.delete(f"/api/v1/views/{stored['id']}").status_code == 204
    assert client.get("/api/v1/views").json()["items"] == []


def test_stars_and_own_views_are_for_oneself(team):
    owner, other = team.as_("owner"), team.as_("other")
    created = owner.post(PATH, json={"spec": SPEC, "project": "alpha"}).json()["id"]
    assert other.put(f"{PATH}/{created}/star", json={"starred": True}).is_success
    assert other.get(PATH, params={"query": "star = yes"}).json()["total"] == 1
    assert owner.get(PATH, params={"query": "star = yes"}).json()["total"] == 0
    layout = {"columns": [], "sort": None, "group_by": None}
    mine = other.post("/api/v1/views", json={"name": "own", "query": "", "layout": layout}).json()["id"]
    assert owner.get("/api/v1/views").json()["total"] == 0
    assert owner.delete(f"/api/v1/views/{mine}").status_code == 404
    refused = other.post(f"{PATH}/bulk", json={"ids": [created], "action": "archive"}).json()
    assert refused["done"] == [] and "not yours" in refused["refused"][0]["reason"]
    assert team.as_("stranger").get(f"{PATH}/counts", params={"by": "algorithm"}).json()["total"] == 0
    stars = [item for item in team.as_("stranger").get(f"{PATH}/fields").json()["items"] if item["kind"] == "spec"]
    assert stars == []


def test_a_sweep_becomes_a_group(client):
    base = {key: value for key, value in SPEC.items() if key not in ("name", "version", "kind")}
    sweep = {"version": 1, "kind": "sweep", "name": "tries", "base": base, "replicates": 2}
    sweep |= {"grid": {"algorithm.batch_size": [16, 32, 64]}}
    report = client.post("/api/v1/specs/validate", json={"yaml": yaml.safe_dump(sweep)}).json()
    assert report["valid"] and report["forecast"]["runs"] == 6
    assert [(each["changes"]["algorithm.batch_size"], each["runs"]) for each in report["experiments"]] == [
        (16, 2),
        (32, 2),
        (64, 2),
    ]
    created = client.post("/api/v1/groups", json={"yaml": yaml.safe_dump(sweep)})
    assert created.status_code == 201, created.text
    assert yaml.safe_load(created.json()["yaml"]) == sweep
    found = client.get(PATH, params={"query": "group = tries and algorithm.batch_size > 16", "sort": "id"}).json()
    assert [item["name"] for item in found["items"]] == ["tries-2-batch_size-32", "tries-3-batch_size-64"]
