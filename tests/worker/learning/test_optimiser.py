import jax.numpy as jnp
import pytest

from phylon.worker.learning import adam_init, adam_step, clip_by_global_norm, polyak_average

GRADIENTS = {"a": jnp.array([3.0]), "b": jnp.array([[0.0, 4.0]])}  # a joint length of 5


def test_two_steps_by_hand(variant):
    """b1 = 0.9, b2 = 0.999, gradients 2 then -1, learning rates 0.1 then 0.01.

    step 1: m = 0.2, v = 0.004, unbiased 2 and 4: direction 2 / 2 = 1, weight 1 - 0.1
    step 2: m = 0.9 * 0.2 - 0.1 = 0.08, v = 0.999 * 0.004 + 0.001 = 0.004996, unbiased by 0.19 and 0.001999
    """
    params = {"w": jnp.array([1.0])}
    step = variant(adam_step)
    params, state = step(params, {"w": jnp.array([2.0])}, adam_init(params), jnp.array(0.1))
    assert params["w"].tolist() == pytest.approx([0.9])
    params, _ = step(params, {"w": jnp.array([-1.0])}, state, jnp.array(0.01))
    direction = (0.08 / 0.19) / (0.004996 / 0.001999) ** 0.5
    assert params["w"].tolist() == pytest.approx([0.9 - 0.01 * direction])


def test_a_learning_rate_of_zero_changes_nothing(variant):
    params = {"w": jnp.array([1.0, -3.0])}
    after, _ = variant(adam_step)(params, {"w": jnp.array([5.0, 5.0])}, adam_init(params), jnp.array(0.0))
    assert after["w"].tolist() == [1.0, -3.0]


def test_epsilon_dampens_small_gradients(variant):
    """The first direction is gradient / (|gradient| + epsilon): half of the usual one where both are equal."""
    params = {"w": jnp.array([0.0])}
    after, _ = variant(lambda *arguments: adam_step(*arguments, epsilon=1e-5))(
        params, {"w": jnp.array([1e-5])}, adam_init(params), jnp.array(1.0)
    )
    assert after["w"].tolist() == pytest.approx([-0.5], rel=1e-3)


@pytest.mark.parametrize(("limit", "factor"), [(10.0, 1.0), (5.0, 1.0), (2.5, 0.5), (0.5, 0.1)])
def test_all_gradients_shrink_alike(variant, limit, factor):
    clipped, norm = variant(clip_by_global_norm)(GRADIENTS, jnp.array(limit))
    assert norm == pytest.approx(5.0)
    assert clipped["a"].tolist() == pytest.approx([3 * factor])
    assert clipped["b"].tolist() == [pytest.approx([0, 4 * factor])]


def test_gradients_of_zero_stay_zero(variant):
    clipped, norm = variant(clip_by_global_norm)({"a": jnp.zeros(2)}, jnp.array(0.5))
    assert norm == 0
    assert clipped["a"].tolist() == [0, 0]


@pytest.mark.parametrize(("rate", "expected"), [(0.0, [1.0, 2.0]), (0.25, [1.5, 1.0]), (1.0, [3.0, -2.0])])
def test_polyak_average_moves_by_the_rate(variant, rate, expected):
    target, online = {"w": jnp.array([1.0, 2.0])}, {"w": jnp.array([3.0, -2.0])}
    assert variant(polyak_average)(target, online, jnp.array(rate))["w"].tolist() == pytest.approx(expected)
