import jax
import jax.numpy as jnp
import pytest

from phylon.worker.learning import double_q_learning_target, huber, linear_schedule, q_learning_target


@pytest.mark.parametrize(
    ("q_t", "r_t", "discount_t", "expected"),
    [
        ([3.0, 2.0, -1.0], 1.0, 0.5, 2.5),  # 1 + 0.5 * 3
        ([3.0, 2.0, -1.0], 1.0, 0.0, 1.0),  # terminated
        ([-4.0, -2.0], 0.5, 1.0, -1.5),
    ],
)
def test_target_bootstraps_from_the_best_action(variant, q_t, r_t, discount_t, expected):
    target = variant(q_learning_target)(jnp.array(q_t), jnp.array(r_t), jnp.array(discount_t))
    assert target == pytest.approx(expected)


@pytest.mark.parametrize(
    ("q_t", "online", "discount_t", "expected"),
    [
        ([3.0, 2.0, -1.0], [0.0, 5.0, 1.0], 0.5, 2.0),  # action 1 is chosen: 1 + 0.5 * 2
        ([3.0, 2.0, -1.0], [0.0, 5.0, 6.0], 0.5, 0.5),  # action 2 is chosen: 1 - 0.5
        ([3.0, 2.0, -1.0], [0.0, 5.0, 6.0], 0.0, 1.0),  # terminated
    ],
)
def test_double_target_is_the_targets_value_of_the_online_choice(variant, q_t, online, discount_t, expected):
    target = variant(double_q_learning_target)(jnp.array(q_t), jnp.array(online), jnp.array(1.0), jnp.array(discount_t))
    assert target == pytest.approx(expected)


@pytest.mark.parametrize("target", [q_learning_target, lambda q, r, d: double_q_learning_target(q, q, r, d)])
def test_no_gradient_flows_through_a_target(variant, target):
    gradient = variant(jax.grad(target))(jnp.array([3.0, 2.0]), jnp.array(1.0), jnp.array(0.5))
    assert gradient.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("error", "delta", "expected", "slope"),
    [
        (0.5, 1.0, 0.125, 0.5),
        (-0.5, 1.0, 0.125, -0.5),
        (3.0, 1.0, 2.5, 1.0),  # 0.5 + 1 * 2
        (-3.0, 1.0, 2.5, -1.0),
        (3.0, 2.0, 4.0, 2.0),  # 0.5 * 4 + 2 * 1
        (0.0, 1.0, 0.0, 0.0),
    ],
)
def test_huber_is_quadratic_within_delta_and_linear_beyond(variant, error, delta, expected, slope):
    assert variant(huber)(jnp.array(error), jnp.array(delta)) == pytest.approx(expected)
    assert variant(jax.grad(huber))(jnp.array(error), jnp.array(delta)) == pytest.approx(slope)


@pytest.mark.parametrize(("step", "expected"), [(0, 1.0), (25, 0.775), (50, 0.55), (100, 0.1), (100_000, 0.1)])
def test_schedule_is_a_line_that_ends_at_its_final_value(variant, step, expected):
    arguments = (jnp.array(1.0), jnp.array(0.1), jnp.array(100.0), jnp.array(step))
    assert variant(linear_schedule)(*arguments) == pytest.approx(expected)
