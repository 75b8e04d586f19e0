import jax
import jax.numpy as jnp
import pytest

from phylon.worker.learning import clipped_double_q_target, squared_errors


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
