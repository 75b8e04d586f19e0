import jax
import jax.numpy as jnp
import pytest

from phylon.worker.learning import deterministic_policy_gradient_loss

OBS = jnp.array([1.0, 2.0])


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
