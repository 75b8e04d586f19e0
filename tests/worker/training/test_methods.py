"""Settings of population methods through the whole loop: what is copied, when, ranked by what."""

import numpy as np
import pytest

from phylon.contract.events import Finished, Lineage
from phylon.worker.training.run_directory import checkpoints_dir

from .runs import frames_of


def births_of(events):
    return [(event.step, span) for event in events if isinstance(event, Lineage) for span in event.spans][4:]


def test_policies_alone_are_copied_with_their_replay(small_spec, train_here, tmp_path):
    small_spec["population"]["method"] |= {
        "selection": {"name": "winner_takes_all"},
        "copying": {"what": "policy", "hyperparams": False, "replay": True},
        "explore": {"name": "keep"},
    }
    small_spec["budget"]["env_steps"] = 200
    small_spec["checkpoint"]["interval"] = 100
    small_spec["evaluation"]["interval"] = 100
    events = train_here(small_spec)
    (born, *_) = births_of(events)
    assert born[0] == 100
    with np.load(checkpoints_dir(tmp_path / "run") / "000005.npz") as file:  # written right after the selection
        arrays = {name: file[name] for name in file.files}
    policies = [values for name, values in arrays.items() if name.startswith("population/policy/")]
    critics = [values for name, values in arrays.items() if name.startswith("population/critic/")]
    assert all(np.array_equal(values, np.broadcast_to(values[:1], values.shape)) for values in policies)
    assert any(not np.array_equal(values[0], values[1]) for values in critics)
    reward = arrays["replay/reward"]
    assert np.array_equal(reward, np.broadcast_to(reward[:1], reward.shape))
    values = {span.slot: span.hyperparams["policy_learning_rate"] for _, span in births_of(events)}
    assert len(set(values.values())) == len(values)  # everyone kept its own


def test_everyone_explores_and_the_mean_of_evaluations_ranks(small_spec, train_here):
    small_spec["population"]["method"] |= {
        "selection": {"name": "t_test"},
        "explore": {"name": "gaussian", "deviation": 0.1},
        "explorers": "everyone",
        "fitness": {"name": "mean", "window": 2},
    }
    events = train_here(small_spec)
    first = [span for step, span in births_of(events) if step == 100]
    assert sorted(span.slot for span in first) == [0, 1, 2, 3]
    assert all(span.hyperparams != span.hyperparams_before for span in first)
    fitness, returns = frames_of(events, "evaluation/fitness"), frames_of(events, "evaluation/return")
    by_slot = {span.slot: span for span in first}
    for slot in range(4):
        if by_slot[slot].parent == slot:  # its own ancestor, so the history is its own
            expected = (returns[100][slot] + returns[200][slot]) / 2
            assert fitness[200][slot] == pytest.approx(expected, rel=1e-5)


def test_an_interval_of_updates(small_spec, train_here):
    small_spec["replay"] |= {"warmup": 40, "ratio": 0.5}
    small_spec["population"]["method"] |= {"interval": 60, "unit": "updates"}
    events = train_here(small_spec)
    # 60 updates are 120 steps after the warm-up; an evaluation comes with each selection
    assert sorted({step for step, _ in births_of(events)}) == [160, 280]
    assert {160, 280} <= set(frames_of(events, "evaluation/return"))
    assert isinstance(events[-1], Finished)


def test_a_schedule_is_followed(small_spec, train_here):
    small_spec["population"]["method"] = {
        "name": "schedule",
        "schedule": [
            {"step": 0, "values": {"policy_learning_rate": 0.001, "discount": 0.9}},
            {"step": 200, "values": {"discount": 0.95}},
        ],
    }
    events = train_here(small_spec)
    shown = frames_of(events, "hyperparams/discount")
    assert {step: values[0] for step, values in shown.items() if step in (180, 240)} == {
        180: pytest.approx(0.9),
        240: pytest.approx(0.95),
    }
    assert [(step, span.operator, span.changes["discount"]) for step, span in births_of(events)] == [
        (200, "schedule", "schedule")
    ] * 4
    rates = frames_of(events, "hyperparams/policy_learning_rate").values()
    assert all(values == [pytest.approx(0.001)] * 4 for values in rates)
