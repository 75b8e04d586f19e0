"""DDPG against numbers worked out in NumPy, and against TD3, whose special case it is."""

import jax
import numpy as np
import pytest

from phylon.spec import DDPGSpec, MLPSpec, TD3Spec
from phylon.worker.algorithms import build_algorithm

NETWORK = MLPSpec(hidden=(8,))
SPEC = DDPGSpec(name="ddpg", network=NETWORK)


@pytest.fixture(scope="module")
def algorithm(info):
    return build_algorithm(SPEC, info)


@pytest.fixture(scope="module")
def update(algorithm, compiled):
    return compiled(algorithm.update)


@pytest.fixture(scope="module")
def state(algorithm, numbers_of, compiled):
    """A state whose online and target weights differ."""
    init = compiled(algorithm.init)
    online, target = (init(jax.random.key(seed), numbers_of(SPEC)) for seed in range(2))
    return online._replace(target_policy=target.policy, target_critic=target.critic)


def test_critic_loss_by_the_targets_action_and_value(
    state, algorithm, numbers_of, make_batch, forward, critic_values, variant
):
    batch = make_batch()
    _, metrics = variant(algorithm.update)(state, numbers_of(SPEC, discount=0.9), batch, jax.random.key(0))
    action = np.tanh(forward(state.target_policy, batch.next_obs))
    future = critic_values(state.target_critic, batch.next_obs, action)[0]
    targets = np.asarray(batch.reward) + 0.9 * (1 - np.asarray(batch.terminated)) * future
    values = critic_values(state.critic, batch.obs, batch.action)[0]
    assert float(metrics["critic_loss"]) == pytest.approx(np.square(values - targets).mean(), rel=1e-4)
    assert float(metrics["q_value"]) == pytest.approx(values.mean(), rel=1e-4)


def test_policy_loss_is_minus_the_new_critics_value(state, update, numbers_of, make_batch, forward, critic_values):
    batch = make_batch()
    after, metrics = update(state, numbers_of(SPEC, critic_learning_rate=0.1), batch, jax.random.key(0))
    action = np.tanh(forward(state.policy, batch.obs))
    new, old = (critic_values(critic, batch.obs, action).mean() for critic in (after.critic, state.critic))
    assert float(metrics["policy_loss"]) == pytest.approx(-new, rel=1e-4)
    assert abs(new - old) > 0.01


def test_both_targets_move_at_every_update(state, update, numbers_of, make_batch):
    after, _ = update(state, numbers_of(SPEC, target_rate=0.25), make_batch(), jax.random.key(0))
    for name in ("policy", "critic"):
        parts = getattr(state, f"target_{name}"), getattr(after, name), getattr(after, f"target_{name}")
        for old, online, new in zip(*map(jax.tree.leaves, parts), strict=True):
            np.testing.assert_allclose(new, 0.75 * old + 0.25 * online, rtol=1e-5, atol=1e-7)


def test_it_is_td3_with_one_critic_without_delay_and_smoothing(
    algorithm, update, info, numbers_of, make_batch, compiled
):
    spec = TD3Spec(name="td3", network=SPEC.network, critics=1, policy_delay=1, target_noise=0)
    td3 = build_algorithm(spec, info)
    left, right = (compiled(one.init)(jax.random.key(0), {}) for one in (algorithm, td3))
    td3_update = compiled(td3.update)
    for step in range(5):
        batch = make_batch(step)
        left, _ = update(left, numbers_of(SPEC), batch, jax.random.key(step))
        right, _ = td3_update(right, numbers_of(spec), batch, jax.random.key(step))
    for name, weights in left._asdict().items():
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), weights, getattr(right, name))
