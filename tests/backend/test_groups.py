"""Submission, reading, stopping and deleting of groups of experiments."""

import copy

import pytest
from sqlalchemy import func, select

from phylon.backend.models import Experiment, Group, Run
from phylon.presets import load_preset

DATABASES = ("postgres",)
"""SQLite is what the integration tests run on."""


@pytest.fixture
def group(spec):
    base = {name: value for name, value in spec.items() if name not in ("version", "kind", "name")}
    base |= {"population": {"size": 2, "method": {"name": "independent"}}}
    return {
        "version": 1,
        "name": "pair",
        "description": "Two seeds of everything.",
        "kind": "group",
        "of": "tasks",  # else two seeds of one environment would be arms, which are not averaged
        "base": base,
        "experiments": {"first": {"seed": 1}, "second": {"seed": 2, "replicates": 2}},
    }


@pytest.fixture
def submitted(client, group):
    answer = client.post("/api/v1/groups", json={"spec": group})
    assert answer.status_code == 201, answer.text
    return answer.json()


def counts(context):
    with context.database.read() as session:
        return [session.scalar(select(func.count()).select_from(table)) for table in (Group, Experiment, Run)]


def runs_of(client, experiment):
    return [run["id"] for run in client.get(f"/api/v1/experiments/{experiment['id']}").json()["runs"]]


def evaluation(seq, step, *returns):
    return {"kind": "metrics", "seq": seq, "step": step, "wall": 1.0, "frames": {"evaluation/return": list(returns)}}


def finished(seq, member, mean):
    final = {
        **{"member": member, "span": member, "mean": mean, "stderr": 1.0, "low": mean - 2, "high": mean + 2},
        **{"episodes": 50, "last_return": mean, "selection_bias": 0.0, "unseen_levels": False},
    }
    event = {"kind": "finished", "seq": seq, "step": 2000, "wall": 3.0}
    return event | {"best_member": member, "fitness": mean, "final": final}


class TestCreate:
    def test_all_experiments_are_queued_under_the_groups_name(self, client, context, submitted):
        assert [item["name"] for item in submitted["experiments"]] == ["pair-first", "pair-second"]
        assert (submitted["size"], submitted["status"], submitted["counts"]) == (2, "queued", {"queued": 2})
        assert (submitted["progress"], submitted["aggregate"], submitted["comparable"]) == (0, None, True)
        assert counts(context) == [1, 2, 3]
        first = client.get(f"/api/v1/experiments/{submitted['experiments'][0]['id']}").json()
        assert first["group"] == {"id": submitted["id"], "name": "pair"}
        assert first["spec"]["seed"] == 1 and first["spec"]["description"] == "Two seeds of everything."
        assert client.get(f"/api/v1/groups/{submitted['id']}").json() == submitted

    def test_yaml_is_kept_as_it_was_written(self, client, context):
        text = "# why we do this\n" + load_preset("dmc15").yaml
        created = client.post("/api/v1/groups", json={"yaml": text}).json()
        assert (created["yaml"], created["name"], created["size"]) == (text, "dmc15", 15)
        assert counts(context) == [1, 15, 15]

    def test_one_invalid_experiment_and_nothing_is_stored(self, client, context, group):
        wrong = copy.deepcopy(group)
        wrong["experiments"]["second"] = {"environment.id": "Pendulim-v1"}
        answer = client.post("/api/v1/groups", json={"spec": wrong})
        assert answer.status_code == 422
        assert [problem["path"] for problem in answer.json()["problems"]] == ["experiments.second.environment.id"]
        assert counts(context) == [0, 0, 0]

    @pytest.mark.parametrize("body", [{}, {"spec": {}}, {"spec": 3}, {"yaml": "kind: [unclosed"}, {"yaml": "- 1"}])
    def test_what_is_no_group(self, client, context, body):
        answer = client.post("/api/v1/groups", json=body)
        assert answer.status_code == 422
        assert answer.json()["problems"]
        assert counts(context) == [0, 0, 0]

    def test_an_experiment_is_not_a_group_nor_a_group_an_experiment(self, client, spec, group):
        assert client.post("/api/v1/groups", json={"spec": spec}).status_code == 422
        assert client.post("/api/v1/experiments", json={"spec": group}).status_code == 422


class TestRead:
    def test_list_newest_first(self, client, submitted, group):
        client.post("/api/v1/groups", json={"spec": group | {"name": "other"}})
        page = client.get("/api/v1/groups").json()
        assert ([item["name"] for item in page["items"]], page["total"]) == (["other", "pair"], 2)
        assert page["items"][1]["counts"] == {"queued": 2}
        first = client.get("/api/v1/groups?limit=1").json()
        rest = client.get("/api/v1/groups", params={"limit": 1, "after": first["next"]}).json()
        assert ([item["name"] for item in rest["items"]], rest["next"]) == (["pair"], None)

    def test_experiments_are_filtered_by_group(self, client, submit, submitted):
        submit(name="alone")
        every = client.get("/api/v1/experiments").json()["items"]
        assert [item["group"] and item["group"]["name"] for item in every] == [None, "pair", "pair"]
        found = client.get("/api/v1/experiments", params={"group": submitted["id"]}).json()
        assert found["total"] == 2 and {item["name"] for item in found["items"]} == {"pair-first", "pair-second"}
        assert client.get("/api/v1/experiments", params={"group": 99}).json()["total"] == 0
        assert client.get("/api/v1/experiments", params={"group": 0}).status_code == 422

    def test_last_returns_and_their_aggregate(self, client, worker, make_worker, submitted):
        first, second = submitted["experiments"]
        [run] = runs_of(client, first)
        attempt = worker.take(run)
        worker.report(run, attempt, [evaluation(0, 1000, 900.0, 900.0), evaluation(1, 2000, 10.0, 30.0)])
        half = client.get(f"/api/v1/groups/{submitted['id']}").json()
        assert half["status"] == "running" and half["counts"] == {"running": 1, "queued": 1}
        assert half["progress"] == 0.5
        assert [(item["score"], item["samples"]) for item in half["experiments"]] == [(20.0, 2), (None, 0)]
        assert (half["aggregate"]["experiments"], half["aggregate"]["mean"]["value"]) == (1, 20.0)
        for number, run in enumerate(runs_of(client, second)):
            other = make_worker(f"other-{number}")
            other.report(run, other.take(run), [evaluation(0, 2000, 100.0 + 20 * number, "NaN" if number else 80.0)])
        whole = client.get(f"/api/v1/groups/{submitted['id']}").json()
        assert [(item["score"], item["samples"]) for item in whole["experiments"]] == [(20.0, 2), (100.0, 3)]
        mean, middle = whole["aggregate"]["mean"], whole["aggregate"]["interquartile_mean"]
        assert mean["value"] == 60.0 and mean["low"] < 60.0 < mean["high"]
        assert middle["value"] == pytest.approx((30 + 80 + 100) / 3)
        assert whole["aggregate"]["samples"] == 5

    def test_final_returns_count_where_there_are_some(self, client, worker, make_worker, submitted):
        """The first experiment has ended, the second has not."""
        first, second = submitted["experiments"]
        [run] = runs_of(client, first)
        frames = {"final/return": [12.0, 16.0]}
        worker.report(run, worker.take(run), [
            evaluation(0, 2000, 10.0, 30.0),
            {"kind": "metrics", "seq": 1, "step": 2000, "wall": 2.0, "frames": frames},
            finished(2, member=1, mean=16.0),
        ])  # fmt: skip
        other, [begun, _] = make_worker("other"), runs_of(client, second)
        other.report(begun, other.take(begun), [evaluation(0, 1000, 100.0, 80.0)])
        read = client.get(f"/api/v1/groups/{submitted['id']}").json()["experiments"]
        assert [(item["score"], item["samples"], item["is_final"]) for item in read] == [
            (14.0, 2, True),
            (90.0, 2, False),
        ]

    def test_the_final_return_of_the_winner_is_the_sample_of_members_that_copy(self, client, worker, spec, group):
        group["base"]["population"] = spec["population"]
        created = client.post("/api/v1/groups", json={"spec": group}).json()
        [run] = runs_of(client, created["experiments"][0])
        worker.report(run, worker.take(run), [
            evaluation(0, 2000, 1.0, 7.0, 2.0, 3.0),
            {"kind": "metrics", "seq": 1, "step": 2000, "wall": 2.0, "frames": {"final/return": [9.0, 5.0, 2.0, 3.0]}},
            finished(2, member=1, mean=5.0),
        ])  # fmt: skip
        read = client.get(f"/api/v1/groups/{created['id']}").json()["experiments"][0]
        assert (read["score"], read["samples"], read["is_final"]) == (5.0, 1, True), "not the best of the final returns"

    def test_members_that_copy_each_other_are_one_sample(self, client, worker, spec, group):
        group["base"]["population"] = spec["population"]
        created = client.post("/api/v1/groups", json={"spec": group}).json()
        [run] = runs_of(client, created["experiments"][0])
        worker.report(run, worker.take(run), [evaluation(0, 200, 1.0, 7.0, "NaN", 3.0)])
        read = client.get(f"/api/v1/groups/{created['id']}").json()
        assert (read["experiments"][0]["score"], read["experiments"][0]["samples"]) == (7.0, 1)
        assert read["aggregate"]["mean"] == {"value": 7.0, "low": None, "high": None}

    def test_returns_of_different_environments_are_not_averaged(self, client, worker, group):
        group["experiments"]["second"] = {"environment.id": "MountainCarContinuous-v0"}
        created = client.post("/api/v1/groups", json={"spec": group}).json()
        [run] = runs_of(client, created["experiments"][0])
        worker.report(run, worker.take(run), [evaluation(0, 200, 1.0, 7.0)])
        read = client.get(f"/api/v1/groups/{created['id']}").json()
        assert (read["comparable"], read["aggregate"]) == (False, None)
        assert read["experiments"][0]["score"] == 4.0

    @pytest.mark.parametrize("method", ["get", "delete"])
    def test_unknown(self, client, method):
        answer = getattr(client, method)("/api/v1/groups/77")
        assert answer.status_code == 404
        assert answer.json()["detail"] == "There is no group 77."


class TestStopAndDelete:
    def test_stop_all_then_delete_all(self, client, context, settings, submit, worker, submitted):
        alone = submit(name="alone")
        run = runs_of(client, submitted["experiments"][0])[0]
        attempt = worker.take(run)
        assert client.delete(f"/api/v1/groups/{submitted['id']}").status_code == 409
        stopped = client.post(f"/api/v1/groups/{submitted['id']}/stop").json()
        assert stopped["counts"] == {"running": 1, "stopped": 1}
        assert worker.report(run, attempt).json()["command"] == "stop"
        worker.report(run, attempt, [{"kind": "stopped", "seq": 0, "step": 1, "wall": 0.2}])
        assert client.post(f"/api/v1/groups/{submitted['id']}/stop").status_code == 409
        assert client.delete(f"/api/v1/groups/{submitted['id']}").status_code == 204
        assert counts(context) == [0, 1, 1]
        assert client.get(f"/api/v1/experiments/{alone['id']}").json()["status"] == "queued"

    def test_an_experiment_can_be_deleted_alone_and_an_empty_group_is_told(self, client, submitted):
        client.post(f"/api/v1/groups/{submitted['id']}/stop")
        for experiment in submitted["experiments"]:
            assert client.delete(f"/api/v1/experiments/{experiment['id']}").status_code == 204
        empty = client.get(f"/api/v1/groups/{submitted['id']}").json()
        assert (empty["size"], empty["status"], empty["counts"], empty["experiments"]) == (0, None, {}, [])
        assert client.delete(f"/api/v1/groups/{submitted['id']}").status_code == 204


def test_the_forecast_of_a_group_sums_up(client):
    report = client.post("/api/v1/specs/validate", json={"yaml": load_preset("dmc15").yaml}).json()
    assert report["valid"] and report["spec"] is None
    forecast = report["forecast"]
    assert (forecast["experiments"], forecast["runs"], forecast["members"]) == (15, 15, 10)
    assert forecast["total_env_steps"] == 15 * 10 * 500_000
    single = client.post("/api/v1/specs/validate", json={"yaml": load_preset("srsac-cheetah-run").yaml}).json()
    assert single["forecast"]["experiments"] is None
    assert forecast["replay_bytes"] > single["forecast"]["replay_bytes"], "quadrupeds see more than a cheetah"
