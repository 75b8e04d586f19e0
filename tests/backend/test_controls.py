"""Did tuning help? Controls of a finished run, and what they say once they have ended."""

import pytest

from .test_retention import birth, lineage

VALUES = {"policy_learning_rate": 1e-3, "discount": 0.95}
LATER = {"policy_learning_rate": 2e-3, "discount": 0.95}


def finished(seq, mean, member=1):
    final = {"member": member, "span": 4, "mean": mean, "stderr": 1.0, "low": mean - 2, "high": mean + 2}
    final |= {"episodes": 50, "last_return": mean, "selection_bias": 0.0, "unseen_levels": False}
    outcome = {"reason": "budget", "best_member": member, "fitness": mean, "final": final}
    return {"kind": "finished", "seq": seq, "step": 2000, "wall": 9.0, **outcome}


def train(worker, run_id, mean):
    """Slot 1 was copied from slot 2 at step 400, with another learning rate, and wins."""
    founders = [birth(slot, slot, None) | {"hyperparams": VALUES} for slot in range(4)]
    events = [lineage(0, 0, *founders), lineage(1, 400, birth(4, 1, 2) | {"hyperparams": LATER}), finished(2, mean)]
    assert worker.report(run_id, worker.take(run_id), events).json()["next_seq"] == 3


@pytest.fixture
def tuned(worker, submit):
    """Two replicates, both finished."""
    experiment = submit(version=2, replicates=2)
    for run, mean in zip(experiment["runs"], (100.0, 101.0), strict=True):
        train(worker, run["id"], mean)
    return experiment


def test_controls_spend_as_much_and_answer_when_they_have_ended(client, worker, tuned):
    address = f"/api/v1/runs/{tuned['runs'][0]['id']}/controls"
    assert client.get(address).json() == {"newest": None, "why_not": None}
    begun = client.post(address, json={})
    assert begun.status_code == 201, begun.text
    assert begun.json()["headline"] == "So far: The controls have no results yet."
    controls = {each["kind"]: each for each in begun.json()["controls"]}
    specs = {kind: client.get(f"/api/v1/experiments/{each['experiment_id']}").json() for kind, each in controls.items()}
    methods = {kind: each["spec"]["population"]["method"] for kind, each in specs.items()}
    assert methods == {
        "schedule": {"name": "schedule", "schedule": [{"step": 0, "values": VALUES}, {"step": 400, "values": LATER}]},
        "fixed": {"name": "schedule", "schedule": [{"step": 0, "values": LATER}]},
        "random_search": {"name": "random_search"},
    }
    for each in specs.values():
        assert each["spec"]["population"]["size"] == 4 and len(each["runs"]) == 2
        assert each["spec"]["budget"] == tuned["spec"]["budget"]
        assert not {run["seed"] for run in each["runs"]} & {run["seed"] for run in tuned["runs"]}

    means = {"schedule": (100.2, 100.8), "fixed": (50.0, 51.0), "random_search": (140.0, 141.0)}
    for kind, experiment in specs.items():
        for run, mean in zip(experiment["runs"], means[kind], strict=True):
            train(worker, run["id"], mean)
    found = client.get(address).json()["newest"]
    assert found["is_over"]
    answers = {each["kind"]: (each["answer"], each["difference"]["value"]) for each in found["controls"]}
    assert answers == {
        "schedule": ("unclear", pytest.approx(0.0)),
        "fixed": ("helped", pytest.approx(50.0)),
        "random_search": ("harmed", pytest.approx(-40.0)),
    }
    assert found["headline"].startswith("Tuning did not pay: backend-test is better than its final values")
    assert any(caveat["kind"] == "few_replicates" for caveat in found["caveats"])


def test_only_a_finished_run_that_tuned_has_controls(client, worker, submit):
    waiting = submit(version=2)["runs"][0]["id"]
    assert "no winner yet" in client.get(f"/api/v1/runs/{waiting}/controls").json()["why_not"]
    refused = client.post(f"/api/v1/runs/{waiting}/controls", json={})
    assert refused.status_code == 409 and "no winner yet" in refused.json()["detail"]
