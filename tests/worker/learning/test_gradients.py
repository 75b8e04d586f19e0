import jax.numpy as jnp
import pytest

from phylon.worker.learning import clip_by_global_norm

GRADIENTS = {"a": jnp.array([3.0]), "b": jnp.array([[0.0, 4.0]])}  # a joint length of 5


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
