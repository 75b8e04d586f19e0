import jax.numpy as jnp
import pytest

from phylon.worker.core.images import as_floats


def test_bytes_are_scaled_and_floats_are_left_alone(variant):
    found = variant(as_floats)(jnp.array([0, 51, 255], jnp.uint8))
    assert found.tolist() == pytest.approx([0, 0.2, 1])
    assert found.dtype == jnp.float32
    assert variant(as_floats)(jnp.array([0.0, 51.0])).tolist() == [0.0, 51.0]
