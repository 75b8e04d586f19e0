import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.learning import (
    clipped_surrogate_loss,
    clipped_value_loss,
    generalised_advantages,
    normalised,
    value_loss,
)


def advantages(variant, reward, value, next_value, discount, continues, trace_decay):
    arrays = (jnp.array(part, jnp.float32) for part in (reward, value, next_value, discount, continues, trace_decay))
    return variant(generalised_advantages)(*arrays)


def test_by_hand(variant):
    """Three steps, discount 0.5, trace decay 0.5, the rollout cut after the third.

    errors: 1 + 0.5 * 2 - 1 = 1;  0 + 0.5 * 4 - 2 = 0;  2 + 0.5 * 6 - 4 = 1
    """
    found = advantages(variant, [1, 0, 2], [1, 2, 4], [2, 4, 6], [0.5] * 3, [1] * 3, 0.5)
    assert found.tolist() == pytest.approx([1 + 0.25 * (0 + 0.25 * 1), 0.25, 1])


def test_termination_stops_the_bootstrap_and_truncation_does_not(variant):
    """Two episodes of one step each end in a state worth 10: the first terminated, the second was cut."""
    found = advantages(variant, [1, 1, 1], [0, 0, 0], [10, 10, 10], [0, 0.5, 0.5], [0, 0, 1], 1.0)
    assert found.tolist() == pytest.approx([1, 1 + 5, 1 + 5])  # and nothing of a later episode reaches an earlier one


def brute_force(reward, value, next_value, terminated, truncated, discount, trace_decay):
    """The definition: an exponential mean of all n-step advantages, of which an episode's last takes what is left."""
    found = []
    for start in range(len(reward)):
        last = next(t for t in range(start, len(reward)) if terminated[t] or truncated[t] or t == len(reward) - 1)
        estimates = []
        for n in range(1, last - start + 2):
            end = start + n - 1
            rewards = sum(discount**k * reward[start + k] for k in range(n))
            estimates.append(rewards + discount**n * (1 - terminated[end]) * next_value[end] - value[start])
        weights = [(1 - trace_decay) * trace_decay**n for n in range(len(estimates) - 1)]
        found.append(np.dot([*weights, 1 - sum(weights)], estimates))
    return found


@pytest.mark.parametrize("trace_decay", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_against_the_mean_of_n_step_advantages(seed, trace_decay):
    random = np.random.default_rng(seed)
    reward, value, next_value = random.normal(size=(3, 20))
    terminated = (random.random(20) < 0.15).astype(float)
    truncated = (1 - terminated) * (random.random(20) < 0.15)
    ended = np.maximum(terminated, truncated)
    next_value[:-1] = np.where(ended[:-1], next_value[:-1], value[1:])  # an episode that goes on is of one piece
    found = advantages(jax.jit, reward, value, next_value, 0.9 * (1 - terminated), 1 - ended, trace_decay)
    expected = brute_force(reward, value, next_value, terminated, truncated, 0.9, trace_decay)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_no_gradient_flows_into_the_values(variant):
    def total(values):
        return jnp.sum(generalised_advantages(values, values, values, values, values, jnp.array(0.5)))

    assert variant(jax.grad(total))(jnp.ones(3)).tolist() == [0, 0, 0]


def test_normalised(variant):
    assert variant(normalised)(jnp.array([[1.0, 3.0], [5.0, 7.0]])).reshape(-1).tolist() == pytest.approx(
        (np.array([-3, -1, 1, 3]) / 5**0.5).tolist(), rel=1e-4
    )
    assert variant(normalised)(jnp.ones(4)).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("ratio", "advantage", "expected", "is_pulled"),
    [
        (1.0, 2.0, -2.0, True),
        (1.1, 2.0, -2.2, True),
        (1.5, 2.0, -2.4, False),  # no further reward for going beyond 1.2
        (0.5, 2.0, -1.0, True),  # the way back is open
        (0.5, -2.0, 1.6, False),  # no further reward for going below 0.8
        (1.5, -2.0, 3.0, True),
    ],
)
def test_surrogate_by_hand(variant, ratio, advantage, expected, is_pulled):
    arguments = (jnp.array(-1.0 + np.log(ratio)), jnp.array(-1.0), jnp.array(advantage), jnp.array(0.2))
    assert variant(clipped_surrogate_loss)(*arguments) == pytest.approx(expected, rel=1e-5)
    assert (variant(jax.grad(clipped_surrogate_loss))(*arguments) != 0) == is_pulled


@pytest.mark.parametrize(
    ("value", "old", "target", "expected"),
    [
        (1.1, 1.0, 2.0, 0.405),  # within the clip: half of 0.9²
        (1.5, 1.0, 2.0, 0.32),  # clipped to 1.2: half of 0.8², the larger
        (3.0, 1.0, 2.0, 0.5),  # clipped to 1.2 gives 0.32; half of 1² is larger
        (0.5, 1.0, 0.0, 0.32),  # clipped to 0.8
    ],
)
def test_clipped_value_loss_by_hand(variant, value, old, target, expected):
    arguments = (jnp.array(value), jnp.array(old), jnp.array(target), jnp.array(0.2))
    assert variant(clipped_value_loss)(*arguments) == pytest.approx(expected, rel=1e-5)


def test_value_loss_is_half_the_square(variant):
    assert variant(value_loss)(jnp.array(3.0), jnp.array(1.0)) == pytest.approx(2.0)
