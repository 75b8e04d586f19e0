"""Comparisons over REST: two methods on one task with numbers to check by hand, and what is said of them."""

import copy

import pytest
import yaml

from phylon.backend.comparisons.verdict import ENOUGH

from .conftest import SPEC

ON_ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""Their queries are those of the first test, which is asked of both."""

ALONE = {"size": 4, "method": {"name": "independent"}}


@pytest.fixture
def train(client, context, worker, make_worker):
    """Finishes the runs of an experiment: each with these returns of its winner at steps 1000 and 2000."""
    made = iter(range(100))

    def train(experiment, *curves, ends=True):
        for run, (early, late, final) in zip(experiment["runs"], curves, strict=True):
            other = make_worker(f"w{next(made)}")
            attempt = other.take(run["id"])
            events = [
                _metrics(
                    0, 1000, 10.0, {"evaluation/return": [early - 5, early, "NaN", early - 1], "time/update": [4.0]}
                ),
                _metrics(1, 2000, 30.0, {"evaluation/return": [late - 5, late, "NaN", late - 1], "time/update": [6.0]}),
            ]
            if ends:
                events.append(_finished(2, final))
            answer = other.report(run["id"], attempt, events)
            assert answer.is_success, answer.text

    return train


def _metrics(seq, step, wall, frames):
    return {"kind": "metrics", "seq": seq, "step": step, "wall": wall, "frames": frames}


def _finished(seq, mean):
    final = {
        **{"member": 1, "span": 1, "mean": mean, "stderr": 1.0, "low": mean - 2, "high": mean + 2},
        **{"episodes": 50, "last_return": mean, "selection_bias": 0.0, "unseen_levels": False},
    }
    event = {"kind": "finished", "seq": seq, "step": 2000, "wall": 31.0}
    return event | {"best_member": 1, "fitness": mean, "final": final}


def ask(client, path="", **params):
    answer = client.get(f"/api/v1/comparisons{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def kinds(comparison):
    return [caveat["kind"] for caveat in comparison["verdict"]["caveats"]]


def test_two_methods_on_one_task(client, submit, train):
    slow = submit(name="slow", replicates=3)
    fast_spec = copy.deepcopy(SPEC["algorithm"]) | {"batch_size": 32}
    fast = submit(name="fast", replicates=3, algorithm=fast_spec, description="larger batches", seed=9)
    train(slow, (10.0, 20.0, 18.0), (12.0, 22.0, 20.0), (14.0, 24.0, 22.0))
    train(fast, (30.0, 90.0, 80.0), (32.0, 92.0, 90.0), (34.0, 94.0, 100.0))
    both = [slow["id"], fast["id"]]
    found = ask(client, experiments=both)
    first, second = found["arms"]
    assert (first["key"], first["name"], first["runs"]) == (f"experiment-{slow['id']}", "slow", 3)
    assert [each["value"] for each in first["replicates"]] == [18.0, 20.0, 22.0], "winners, never members"
    assert {each["source"] for each in first["replicates"]} == {"final"}
    assert (first["mean"]["value"], second["mean"]["value"]) == (20.0, 90.0)
    assert first["mean"]["low"] < 20 < first["mean"]["high"]
    assert (found["statistic"], found["tasks"], found["comparable"]) == ("mean", ["Pendulum-v1"], True)
    [pair] = found["pairs"]
    assert (pair["first"], pair["second"]) == (second["key"], first["key"])
    assert pair["difference"]["value"] == 70.0 and pair["difference"]["low"] > 50
    assert pair["improvement"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    verdict = found["verdict"]
    assert verdict["better"] == second["key"]
    assert verdict["headline"].startswith("fast is better than slow by 70 (95 % interval ")
    assert "90 against 20, 3 against 3 replicates" in verdict["headline"]
    assert kinds(found) == ["few_replicates"] and f"Fewer than {ENOUGH}" in verdict["caveats"][0]["text"]
    assert [(each["path"], each["values"]) for each in found["config"]] == [("algorithm.batch_size", [16, 32])]
    assert found["profiles"]["arms"][1]["share"][0] == 1.0 and found["profiles"]["arms"][0]["share"][-1] == 0.0

    alone = ask(client, experiments=[fast["id"]])
    assert alone["arms"][0] == second, "what stands beside an arm never moves its numbers"
    assert alone["verdict"]["headline"] == "There is one arm: add another to compare it with."
    assert ask(client, experiments=both, baseline=second["key"])["pairs"][0]["difference"]["value"] == -70.0
    by_time = ask(client, experiments=both, axis="wall")
    assert (by_time["arms"], by_time["pairs"]) == (found["arms"], found["pairs"]), "final returns have no axis"
    early = ask(client, experiments=both, at=1500, target=40)
    assert [arm["mean"]["value"] for arm in early["arms"]] == [17.0, 62.0], "on the line between two evaluations"
    assert early["arms"][0]["optimality_gap"]["value"] == 23.0
    assert ask(client, experiments=both, at=60_000)["verdict"]["headline"].startswith("There is nothing to compare yet")

    curves = ask(client, "/curves", experiments=both, target=22, runs=True)
    slow_curve = curves["arms"][0]
    assert (slow_curve["x"], slow_curve["value"], slow_curve["replicates"]) == ([1000, 2000], [12.0, 22.0], [3, 3])
    assert slow_curve["low"][0] < 12 < slow_curve["high"][0] and curves["of"] == "best member"
    assert [run["y"] for run in slow_curve["runs"]] == [[10.0, 20.0], [12.0, 22.0], [14.0, 24.0]]
    steps = slow_curve["steps_to_target"]
    assert (steps["reached"], steps["replicates"], steps["median"], steps["high"]) == (2, 3, 2000, None)
    assert curves["arms"][1]["seconds_to_target"]["median"] == 10.0
    total = ask(client, "/curves", experiments=both, axis="total_steps")["arms"][0]
    assert total["x"] == [4000, 8000] and total["runs"] == []
    updates = ask(client, "/curves", experiments=both, axis="updates")["arms"][0]["x"]
    assert updates == [800, 1800], "one a step after a warm-up of 200"
    assert ask(client, "/curves", experiments=both, axis="wall", statistic="median")["arms"][0]["x"] == [10, 30]
    times = ask(client, "/curves", experiments=both, metric="time/update")
    assert (times["of"], times["arms"][0]["value"]) == ("whole population", [4.0, 6.0])
    [budget, _] = ask(client, "/budgets", experiments=both)["arms"]
    assert (budget["runs"], budget["seconds"]) == (3, {"update": 10.0})
    assert (budget["budget"]["total_env_steps"], budget["budget"]["seconds"]) == (8000, 10.0)

    table = client.get("/api/v1/comparisons/table.csv", params={"experiments": both}).text.splitlines()
    assert table[0].startswith("arm,replicates,mean,low,high,difference,")
    assert table[2].startswith(f"fast,3,90.0,{second['mean']['low']!r},") and table[2].endswith(",slow")
    latex = client.get("/api/v1/comparisons/table.latex", params={"experiments": both}).text
    assert r"fast & 3 & $90$" in latex and latex.count(r"\\") == 3
    for wrong in ({}, {"experiments": both, "baseline": "group-1"}, {"experiments": both, "task": "Nowhere-v0"}):
        refused = client.get("/api/v1/comparisons", params=wrong)
        assert refused.status_code == 422 and refused.json()["remedy"], wrong
    assert client.get("/api/v1/comparisons", params={"experiments": [999]}).status_code == 404


@ON_ONE_DATABASE
def test_reasons_to_doubt(client, context, submit, train, make_worker):
    close = submit(name="close", replicates=2)
    train(close, (1.0, 2.0, 10.0), (1.0, 2.0, 14.0))
    behind = submit(name="behind", replicates=3)
    train(behind | {"runs": behind["runs"][:1]}, (1.0, 2.0, 9.0))
    train(behind | {"runs": behind["runs"][1:2]}, (1.0, 12.0, 0.0), ends=False)
    independent = submit(name="alone", population=ALONE, budget={"env_steps": 4000})
    run = independent["runs"][0]["id"]
    other = make_worker("of the third")
    other.report(run, other.take(run), [_metrics(0, 200, 1.0, {"evaluation/return": [1.0, 3.0, "NaN", 5.0]})])
    found = ask(client, experiments=[close["id"], behind["id"]])
    headline = found["verdict"]["headline"]
    assert headline.startswith("So far, no clear difference: close is ahead of behind by 1.5 ("), headline
    assert "about" in headline and "more replicates of each would be needed" in headline
    assert found["verdict"]["better"] is None and found["verdict"]["best"]["replicates_needed"] == 44
    assert kinds(found) == ["few_replicates", "unfinished", "left_out_runs", "not_final"]
    three = ask(client, experiments=[close["id"], behind["id"], independent["id"]])
    assert [len(arm["replicates"]) for arm in three["arms"]] == [2, 2, 3], "members that copy nobody count each"
    assert {"diverged", "members", "budgets"} <= set(kinds(three))
    queued = submit(name="queued")
    empty = ask(client, experiments=[queued["id"], close["id"]])
    assert empty["verdict"]["headline"] == "There is nothing to compare yet: queued has no return."
    assert ask(client, "/curves", experiments=[queued["id"]])["arms"][0]["x"] == []
    elsewhere = submit(name="elsewhere", environment={"suite": "gymnasium", "id": "MountainCarContinuous-v0"})
    apart = ask(client, experiments=[close["id"], elsewhere["id"]])
    assert (apart["tasks"], apart["verdict"]["best"], kinds(apart)[0]) == ([], None, "no_common_task")
    assert ask(client, "/curves", experiments=[close["id"], elsewhere["id"]])["note"]
    one = ask(client, experiments=[close["id"], elsewhere["id"]], task="Pendulum-v1")
    assert [arm["name"] for arm in one["arms"]] == ["close"]


def group_of(client, name, environments, of=None):
    base = {key: value for key, value in SPEC.items() if key not in ("version", "kind", "name")}
    document = {"version": 1, "name": name, "kind": "group", "base": base, "experiments": environments}
    body = {"yaml": yaml.safe_dump(document | ({"of": of} if of else {}), sort_keys=False)}
    answer = client.post("/api/v1/groups", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


@ON_ONE_DATABASE
def test_groups_of_arms_and_of_tasks(client, train):
    def trained(group, *finals):
        for row, final in zip(group["experiments"], finals, strict=True):
            train(client.get(f"/api/v1/experiments/{row['id']}").json(), (1.0, 2.0, final))
        return client.get(f"/api/v1/groups/{group['id']}").json()

    arms = trained(group_of(client, "methods", {"a": {"seed": 1}, "b": {"algorithm.batch_size": 8}}), 10.0, 30.0)
    assert (arms["of"], arms["aggregate"], arms["comparable"]) == ("arms", None, True), "arms are never averaged"
    assert [row["score"] for row in arms["experiments"]] == [10.0, 30.0]
    found = ask(client, groups=[arms["id"]])
    assert [arm["name"] for arm in found["arms"]] == ["methods-a", "methods-b"]
    assert found["pairs"][0]["difference"] == {"value": 20.0, "low": None, "high": None}
    assert "A single replicate says nothing about chance" in found["verdict"]["headline"]

    two = {"walk": {}, "swing": {"environment.id": "MountainCarContinuous-v0"}}
    tasks = trained(group_of(client, "ours", two), 5.0, 50.0)
    assert tasks["of"] == "tasks"
    theirs = trained(group_of(client, "theirs", two), 4.0, 60.0)
    versus = ask(client, groups=[tasks["id"], theirs["id"]])
    assert [arm["key"] for arm in versus["arms"]] == [f"group-{tasks['id']}", f"group-{theirs['id']}"]
    assert versus["tasks"] == ["Pendulum-v1", "MountainCarContinuous-v0"] and not versus["comparable"]
    assert versus["pairs"][0]["improvement"]["value"] == 0.5 and versus["pairs"][0]["difference"] is None
    assert "scales" in kinds(versus) and versus["config"] == []
    one = ask(client, groups=[tasks["id"], theirs["id"]], task="Pendulum-v1")
    assert one["pairs"][0]["difference"]["value"] == -1.0
    said = group_of(client, "said", {"a": {}, "b": {"seed": 3}}, of="tasks")
    assert said["of"] == "tasks"
    assert ask(client, groups=[said["id"]])["all_tasks"] == ["Pendulum-v1 (a)", "Pendulum-v1 (b)"]
