"""Algorithms on n-step returns, at the scale of one member or one joint population."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.registry import algorithms
from phylon.spec import MLPSpec
from phylon.spec.algorithms import TD3Spec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.n_step import jointly_with_n_step_returns
from phylon.worker.algorithms.shared_td3 import shared_td3
from phylon.worker.core.types import NStepTransition

DISCOUNT = 0.9


def several(batch):
    """Rows of 1, 2 and 3 steps with rewards that all count."""
    rows = len(batch.reward)
    steps = np.arange(rows) % 3 + 1
    reward = np.random.default_rng(5).normal(size=(rows, 3)) * (np.arange(3) < steps[:, None])
    return NStepTransition(
        batch.obs,
        batch.action,
        jnp.asarray(reward, jnp.float32),
        batch.terminated,
        batch.next_obs,
        jnp.asarray(steps, jnp.float32),
    )


def single(batch):
    """What a learner that knows of one step should be given, by hand: the discount of the last step is the update's."""
    weights = DISCOUNT ** np.arange(3)
    share = DISCOUNT ** (np.asarray(batch.steps) - 1)
    return {
        "reward": jnp.asarray((np.asarray(batch.reward) * weights).sum(axis=1), jnp.float32),
        "terminated": jnp.asarray(1 - (1 - np.asarray(batch.terminated)) * share, jnp.float32),
    }


@pytest.mark.parametrize("name", [name for name, found in algorithms().items() if "n_step" in found.spec.model_fields])
def test_an_update_is_that_on_the_sum_of_rewards(name, info, make_batch, numbers_of, compiled):
    info = info._replace(is_discrete=name == "dqn")
    fields = {"name": name, "network": MLPSpec(hidden=(8,))}
    spec = algorithms()[name].spec.model_validate(fields)
    plain, looking_ahead = build_algorithm(spec, info), build_algorithm(spec.model_copy(update={"n_step": 3}), info)
    numbers, batch = numbers_of(spec, discount=DISCOUNT), make_batch()
    if name == "dqn":
        batch = batch._replace(action=(batch.action[:, 0] > 0).astype(jnp.int32))
    rows = several(batch)
    state = plain.init(jax.random.key(0), numbers)
    expected, _ = compiled(plain.update)(state, numbers, batch._replace(**single(rows)), jax.random.key(1))
    found, _ = compiled(looking_ahead.update)(state, numbers, rows, jax.random.key(1))
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
    other, _ = compiled(plain.update)(state, numbers, batch._replace(reward=rows.reward[:, 0]), jax.random.key(1))
    assert any(
        not np.allclose(a, b, rtol=1e-4, atol=1e-6)
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(other), strict=True)
    ), "the first reward alone would do as well, so this test proves nothing"


def test_a_joint_population_does_the_same(info, make_batch, numbers_of, compiled):
    spec = TD3Spec(name="td3", network=MLPSpec(hidden=(8,)))
    joint = shared_td3(spec, info, 2, 2)
    numbers = {name: jnp.full(2, value) for name, value in numbers_of(spec, discount=DISCOUNT).items()}
    population = joint.init(jax.random.split(jax.random.key(0), 2), numbers)

    def keys():
        return jax.random.split(jax.random.key(1), 2)

    batches = [make_batch(0), make_batch(1)]
    rows = [several(batch) for batch in batches]

    def stacked(*trees):
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)

    plain = stacked(*(batch._replace(**single(row)) for batch, row in zip(batches, rows, strict=True)))
    expected, _ = compiled(joint.update)(population, numbers, plain, keys())
    found, _ = compiled(jointly_with_n_step_returns(joint).update)(population, numbers, stacked(*rows), keys())
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
