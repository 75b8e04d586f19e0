"""A run that ended and got a larger budget equals one that had it from the start, or says from which step on not."""

import copy

import numpy as np
import pytest

from phylon.contract.events import Interrupted
from phylon.spec import parse_spec, spec_to_json
from phylon.spec.extension import extend
from phylon.worker.training import loop

from .runs import kinds, last_arrays, reproducible

SMALLER, LARGER = 200, 400


@pytest.fixture
def spec(small_spec):
    """Evolution, evaluation and checkpoint are all due where the smaller budget ends."""
    small_spec["execution"]["strategy"] = "vectorized"
    small_spec["budget"]["env_steps"] = SMALLER
    return small_spec


def train_both(train_here, spec, **budget):
    """Events of a run that was extended, and of one that had the larger budget from the start."""
    resolved = spec_to_json(parse_spec(spec))
    extended = spec_to_json(extend(parse_spec(spec), budget or {"env_steps": LARGER}))
    assert {name for name in resolved if resolved[name] != extended[name]} == {"budget"}
    first = train_here(resolved, "extended")
    assert first[-1].kind == "finished"
    return train_here(extended, "extended"), train_here(copy.deepcopy(extended), "undisturbed")


def in_any_order(events):
    """At the border where it once ended, an extended run reports its selection after its checkpoint, which cuts what
    members remember of their episodes: the hashes of the weights that are copied there are those of cut members."""
    found = reproducible(events)
    for event in found:
        for span in event.get("spans", []) if event["step"] == SMALLER else []:
            del span["weights"]
    return sorted(found, key=lambda event: (event["step"], event["kind"]))


def interruptions(events):
    return [(event.step, event.reason) for event in events if isinstance(event, Interrupted)]


def assert_same(extended, undisturbed, tmp_path):
    assert interruptions(extended) == []
    assert in_any_order(extended) == in_any_order(undisturbed)
    expected, found = last_arrays(tmp_path / "undisturbed"), last_arrays(tmp_path / "extended")
    assert found.keys() == expected.keys()
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


@pytest.mark.parametrize("algorithm", ["td3", "ppo"])
def test_equals_a_run_with_the_larger_budget(spec, train_here, tmp_path, algorithm):
    if algorithm == "ppo":
        spec["algorithm"] = {"name": "ppo", "rollout_steps": 20, "network": {"hidden": [16, 16]}}
        spec["algorithm"] |= {"minibatches": 2, "epochs": 1, "learning_rate": {"log_uniform": [1e-4, 1e-2]}}
        spec["execution"].pop("segment_steps")
        spec.pop("replay")
    extended, undisturbed = train_both(train_here, spec)
    lineage = [event.step for event in extended if event.kind == "lineage"]
    assert SMALLER in lineage, "the selection that the smaller budget's end left out"
    assert_same(extended, undisturbed, tmp_path)
    assert kinds(extended).count("finished") == 1, "the first end is cut off"
    assert extended[-1].step == LARGER and extended[-1].final == undisturbed[-1].final


def test_without_what_the_end_left_out_it_would_be_found_out(spec, train_here, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "go_on_after_end", lambda attempt: None)
    extended, undisturbed = train_both(train_here, spec)
    with pytest.raises(AssertionError):
        assert_same(extended, undisturbed, tmp_path)


@pytest.mark.parametrize("budget", [140, 300])
def test_an_end_between_two_checkpoints_is_marked(spec, train_here, budget):
    spec["budget"]["env_steps"], spec["checkpoint"]["interval"] = budget, 200
    extended, _ = train_both(train_here, spec)
    assert interruptions(extended) == [(budget, "extended")]


def test_overlapped_learning_learns_nothing_twice_and_is_marked(spec, train_here):
    spec["execution"]["overlap"] = True
    extended, undisturbed = train_both(train_here, spec)
    assert interruptions(extended) == [(SMALLER, "extended")]
    assert extended[-1].step == undisturbed[-1].step == LARGER


def test_a_target_that_was_reached_can_be_removed(spec, train_here, tmp_path):
    spec["budget"]["target_return"] = -1e6
    extended, undisturbed = train_both(train_here, spec, target_return=None)
    assert_same(extended, undisturbed, tmp_path)
    assert (extended[-1].reason, extended[-1].step) == ("budget", SMALLER)
