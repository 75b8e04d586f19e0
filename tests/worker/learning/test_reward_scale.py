import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.learning.reward_scale import (
    CLIP,
    cut_returns,
    merge_moments,
    moments_of,
    reward_scale_init,
    scale_rewards,
)


def returns_of(reward, ended, discount, carried):
    """Step by step, as the definition says."""
    found, carried = np.zeros_like(reward), carried.copy()
    for step in range(len(reward)):
        carried = discount * carried + reward[step]
        found[step] = carried
        carried = carried * (1 - ended[step])
    return found, carried


@pytest.fixture
def rollouts():
    random = np.random.default_rng(0)
    return [(random.normal(3, 2, (16, 3)), (random.random((16, 3)) < 0.2).astype(float)) for _ in range(4)]


def scaled(variant, rollouts, discount=0.9):
    scale, step = reward_scale_init(3), variant(scale_rewards)
    for reward, ended in rollouts:
        rewards, scale = step(scale, jnp.array(reward, jnp.float32), jnp.array(ended, jnp.float32), jnp.array(discount))
    return rewards, scale


def test_rewards_are_divided_by_the_deviation_of_all_returns_so_far(variant, rollouts):
    rewards, scale = scaled(variant, rollouts)
    everything, carried = [], np.zeros(3)
    for reward, ended in rollouts:
        returns, carried = returns_of(reward, ended, 0.9, carried)
        everything.append(returns)
    deviation = np.concatenate(everything).std()
    np.testing.assert_allclose(rewards, rollouts[-1][0] / deviation, rtol=1e-4)
    np.testing.assert_allclose(scale.returns, carried, rtol=1e-4)  # an episode goes on in the next rollout
    assert float(scale.moments.count) == pytest.approx(4 * 48)


def test_the_mean_of_the_rewards_is_not_taken_away(rollouts):
    rewards, _ = scaled(jax.jit, rollouts)
    assert np.all(np.sign(rewards) == np.sign(rollouts[-1][0]))


def test_the_scale_of_the_rewards_does_not_matter(rollouts):
    larger = [(1000 * reward, ended) for reward, ended in rollouts]
    np.testing.assert_allclose(scaled(jax.jit, larger)[0], scaled(jax.jit, rollouts)[0], rtol=1e-3)


def test_rare_large_rewards_are_cut_off():
    reward = np.zeros((2000, 1))
    reward[1000] = 1.0
    rewards, _ = scaled(jax.jit, [(np.tile(reward, 3), np.ones((2000, 3)))])
    assert float(jnp.max(rewards)) == CLIP


def test_rewards_of_zero_stay_zero(variant):
    rewards, _ = scaled(variant, [(np.zeros((4, 3)), np.zeros((4, 3)))] * 2)
    assert np.all(np.asarray(rewards) == 0)


def test_merged_moments_are_those_of_all_values(variant):
    left, right = np.random.default_rng(0).normal(5, 3, 40), np.random.default_rng(1).normal(-2, 1, 25)
    merged = variant(merge_moments)(*(moments_of(jnp.array(part, jnp.float32)) for part in (left, right)))
    both = np.concatenate([left, right])
    assert [float(part) for part in merged] == pytest.approx([65, both.mean(), both.var()], rel=1e-5)


def test_a_cut_episode_leaves_nothing_to_the_next_one(variant):
    """Rewards 1, 1 | 1, 1 at discount 0.5: returns 1, 1.5 | 1, 1.5 where the episode is cut, 1.75, 1.875 where not."""
    reward, going_on = jnp.ones((2, 1)), jnp.zeros((2, 1))
    _, scale = variant(scale_rewards)(reward_scale_init(1), reward, going_on, jnp.array(0.5))
    assert scale.returns == pytest.approx([1.5])
    cut = cut_returns(jax.device_get(scale))
    assert cut.returns.tolist() == [0.0] and cut.returns.dtype == np.float32
    assert cut.moments == jax.device_get(scale).moments
    _, after = variant(scale_rewards)(cut, reward, going_on, jnp.array(0.5))
    assert after.returns == pytest.approx([1.5])
    assert float(after.moments.mean) == pytest.approx(1.25, rel=1e-3)
    _, before = variant(scale_rewards)(scale, reward, going_on, jnp.array(0.5))
    assert before.returns == pytest.approx([1.875])
