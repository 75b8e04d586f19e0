import jax
import jax.numpy as jnp
import pytest

from phylon.worker.learning import (
    clipped_double_q_target,
    deterministic_policy_gradient_loss,
    smoothed_target_action,
    squared_errors,
)

OBS = jnp.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("q_t", "r_t", "discount_t", "expected"),
    [
        ([3.0, 2.0], 1.0, 0.5, 2.0),  # 1 + 0.5 * 2
        ([3.0, 2.0], 1.0, 0.0, 1.0),  # terminated
        ([-4.0], 0.5, 0.25, -0.5),  # one critic
        ([5.0, -1.0, 2.0], 0.0, 1.0, -1.0),  # three critics
    ],
)
def test_target_bootstraps_from_the_smallest_critic(variant, q_t, r_t, discount_t, expected):
    target = variant(clipped_double_q_target)(jnp.array(q_t), jnp.array(r_t), jnp.array(discount_t))
    assert target == pytest.approx(expected)


def test_no_gradient_flows_through_the_target(variant):
    gradient = variant(jax.grad(clipped_double_q_target))(jnp.array([3.0, 2.0]), jnp.array(1.0), jnp.array(0.5))
    assert gradient.tolist() == [0.0, 0.0]


def test_squared_errors_sum_over_critics(variant):
    assert variant(squared_errors)(jnp.array([1.0, 4.0]), jnp.array(2.0)) == pytest.approx(1.0 + 4.0)


@pytest.mark.parametrize(
    ("action", "noise", "expected"),
    [
        (0.0, 1.0, 0.2),  # 0.2 * 1
        (0.0, -1.5, -0.3),  # 0.2 * -1.5, right at the clip
        (0.0, 10.0, 0.3),  # noise clipped to 0.3
        (0.0, -10.0, -0.3),
        (0.9, 1.0, 1.0),  # action clipped to 1
        (-0.9, -1.0, -1.0),
    ],
)
def test_smoothing_clips_the_noise_and_then_the_action(variant, action, noise, expected):
    smoothed = variant(smoothed_target_action)(jnp.array([action]), jnp.array([noise]), jnp.array(0.2), jnp.array(0.3))
    assert smoothed.tolist() == pytest.approx([expected])


def loss(weights):
    """policy: weights · obs; critic: -(action - 3)² + sum of obs."""
    return deterministic_policy_gradient_loss(
        lambda obs: jnp.dot(weights, obs), lambda obs, action: -jnp.square(action - 3) + jnp.sum(obs), OBS
    )


def test_loss_is_minus_the_value_of_the_policys_action(variant):
    # action = 0.5 * 1 + 0.25 * 2 = 1, value = -(1 - 3)² + 3 = -1
    assert variant(loss)(jnp.array([0.5, 0.25])) == pytest.approx(1.0)


def test_gradient_is_that_of_the_value_through_the_action(variant):
    # d(-Q)/da = 2 (a - 3) = -4, da/dweights = obs
    assert variant(jax.grad(loss))(jnp.array([0.5, 0.25])).tolist() == pytest.approx([-4.0, -8.0])
