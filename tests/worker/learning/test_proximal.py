import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.learning import clipped_surrogate_loss, clipped_value_loss, value_loss


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
