"""Learning rates that fall over whole runs: what was used is reported, and the hyper-parameter is the start."""

from typing import Any

import jax
import numpy as np
import pytest

from phylon.contract.events import Finished
from phylon.spec import parse_spec
from phylon.spec.segments import update_numbers
from phylon.worker import algorithms as engine
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.keys import derive
from phylon.worker.core.types import as_given
from phylon.worker.environments import describe
from phylon.worker.execution.members import member_updates
from phylon.worker.training.experience import random_transitions

from .runs import frames_of


@pytest.fixture
def decaying(small_spec: dict[str, Any]) -> dict[str, Any]:
    small_spec["version"] = 2
    small_spec["algorithm"]["learning_rate_decay"] = {"shape": "linear", "end": 0.2}
    return small_spec


def require_planned_rates(events, spec) -> None:
    """At each frame the mean factor of the updates since the last one, times the member's own rate."""
    rates = frames_of(events, "training/effective_policy_learning_rate")
    planned = frames_of(events, "hyperparams/policy_learning_rate")
    assert list(rates) == [60, 120, 180, 240, 300, 360]
    for step, found in rates.items():
        # one update per step after 40 steps of warm-up, so 360 in all; no selection within the frame
        updates = np.arange(max(40, step - 60), step)
        if any(step - 60 <= selection < step for selection in (100, 200, 300)):
            continue
        factor = np.mean(1 - 0.8 * (updates - 40) / 360)
        np.testing.assert_allclose(found, factor * np.array(planned[step]), rtol=1e-4)


def test_reported_rates_are_the_planned_start_times_the_factor(decaying, train_here):
    events = train_here(decaying)
    assert isinstance(events[-1], Finished)
    require_planned_rates(events, decaying)


def test_a_schedule_that_is_not_applied_is_found_out(decaying, train_here, monkeypatch):
    def keep(names, *rest):
        return lambda hyperparams, number: (hyperparams, {f"effective_{name}": hyperparams[name] for name in names})

    monkeypatch.setattr(engine, "decaying_rates", keep)
    with pytest.raises(AssertionError):
        require_planned_rates(train_here(decaying), decaying)


def test_numbers_of_updates(decaying):
    assert update_numbers(parse_spec(decaying)) == range(40, 400)
    decaying["replay"]["ratio"] = 0.5
    assert update_numbers(parse_spec(decaying)) == range(20, 200)
    rollouts = decaying | {"algorithm": {"name": "ppo", "rollout_steps": 25, "minibatches": 5}, "replay": None}
    del rollouts["execution"], rollouts["metrics"]
    assert update_numbers(parse_spec(rollouts)) == range(16)


def test_an_update_uses_the_rate_of_its_number(decaying):
    """Two updates in one call, and each alone with its rate written out."""
    spec = parse_spec(decaying)
    info = describe("gymnasium", "Pendulum-v1")
    plain = build_algorithm(
        spec.algorithm.model_copy(update={"learning_rate_decay": type(spec.algorithm.learning_rate_decay)()}), info
    )
    assert plain.schedule is as_given
    algorithm = build_algorithm(spec.algorithm, info, range(40, 400))
    numbers = {"policy_delay": 1.0, "target_rate": 0.1, "target_noise": 0.0, "target_noise_clip": 0.5}
    numbers |= {"policy_learning_rate": 1e-3, "critic_learning_rate": 1e-2, "discount": 0.9, "exploration_noise": 0.1}
    hyperparams = {name: np.float32(value) for name, value in numbers.items()}
    batches, key = random_transitions(info, 2, 16), jax.random.key(3)
    state = jax.jit(plain.init)(jax.random.key(0), hyperparams)
    found, report = jax.jit(member_updates(algorithm))(state, hyperparams, batches, key, np.uint32(220))
    assert {name: float(value) for name, value in report.hyperparams.items()} == hyperparams, (
        "the plan is proven as it is"
    )
    update = jax.jit(plain.update)
    for number in (220, 221):
        factor = np.float32(1 - 0.8 * (number - 40) / 360)
        now = {name: value * factor if name.endswith("learning_rate") else value for name, value in hyperparams.items()}
        batch = jax.tree.map(lambda field, place=number - 220: field[place], batches)
        state, _ = update(state, now, batch, derive(key, number))
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(state), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


def test_without_the_numbers_of_the_run_it_is_refused(decaying):
    with pytest.raises(ValueError, match="need the numbers of its updates"):
        build_algorithm(parse_spec(decaying).algorithm, describe("gymnasium", "Pendulum-v1"))


@pytest.mark.parametrize("written", ["cosine", {"shape": "cosine"}])
def test_the_short_form(decaying, written):
    decaying["algorithm"]["learning_rate_decay"] = written
    decay = parse_spec(decaying).algorithm.learning_rate_decay
    assert (decay.shape, decay.end) == ("cosine", 0.0)
