import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.core.types import NStepTransition
from phylon.worker.learning.n_step import as_transition, n_step_return


def test_rewards_by_hand(variant):
    """1 + 0.5 * 2 + 0.25 * 4."""
    assert float(variant(n_step_return)(jnp.array([1.0, 2.0, 4.0]), jnp.array(0.5))) == 3.0


def test_a_discount_of_zero_sees_the_first_reward():
    assert float(n_step_return(jnp.array([5.0, 2.0, 4.0]), jnp.array(0.0))) == 5.0


@pytest.mark.parametrize(
    ("reward", "steps", "terminated", "value", "bootstrap"),
    [
        ([1.0, 2.0, 4.0], 3, 0, 3.0, 0.125),
        ([1.0, 2.0, 0.0], 2, 0, 2.0, 0.25),  # truncated after two steps, or the newest
        ([1.0, 2.0, 0.0], 2, 1, 2.0, 0.0),
        ([1.0, 0.0, 0.0], 1, 0, 1.0, 0.5),
        ([1.0, 0.0, 0.0], 1, 1, 1.0, 0.0),
    ],
)
def test_what_is_left_of_the_bootstrap_by_hand(variant, reward, steps, terminated, value, bootstrap):
    discount, obs = jnp.array(0.5), jnp.zeros(2)
    row = NStepTransition(obs, obs, jnp.array(reward), jnp.float32(terminated), obs + 1, jnp.float32(steps))
    found = variant(as_transition)(row, discount)
    assert float(found.reward) == pytest.approx(value)
    assert float(discount * (1 - found.terminated)) == pytest.approx(bootstrap)
    np.testing.assert_array_equal(found.next_obs, obs + 1)


def test_a_batch_of_single_steps_is_the_plain_one():
    random = np.random.default_rng(0)
    reward, terminated = random.normal(size=8).astype(np.float32), (np.arange(8) % 2).astype(np.float32)
    rewards = np.stack([reward, np.zeros_like(reward)], axis=-1)
    obs = np.zeros((8, 3), np.float32)
    batch = NStepTransition(obs, obs, rewards, terminated, obs, np.ones(8, np.float32))
    found = jax.vmap(as_transition, in_axes=(0, None))(batch, jnp.float32(0.97))
    np.testing.assert_array_equal(found.reward, reward)
    np.testing.assert_array_equal(found.terminated, terminated)
