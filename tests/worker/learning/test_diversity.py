"""The volume that behaviours span: closed forms, and the place where a careless one breaks down."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.learning.diversity import log_determinant


def test_of_two_by_hand(variant):
    behaviours = jnp.array([[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, -1.0]])
    mean_square = (1 + 4) / 4
    similarity = np.exp(-mean_square / (2 * 0.5**2))
    found = variant(lambda embeddings: log_determinant(embeddings, 0.5, 1e-3))(behaviours)
    assert float(found) == pytest.approx(np.log((1 + 1e-3) ** 2 - similarity**2), abs=1e-6)


def test_does_not_depend_on_how_much_is_looked_at():
    behaviours = jax.random.normal(jax.random.key(0), (4, 6))
    twice = jnp.concatenate([behaviours, behaviours], axis=1)
    assert log_determinant(twice, 0.5, 1e-4) == pytest.approx(float(log_determinant(behaviours, 0.5, 1e-4)), rel=1e-5)


@pytest.mark.parametrize("distance", [0.0, 1e-20, 1e-8, 1e-3])
def test_value_and_gradient_are_finite_where_behaviours_coincide(variant, distance):
    behaviours = jnp.ones((5, 8)).at[0, 0].add(distance)
    value, gradient = variant(jax.value_and_grad(lambda embeddings: log_determinant(embeddings, 0.5, 1e-4)))(behaviours)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert value == pytest.approx(4 * np.log(1e-4), rel=0.1)


def test_its_gradient_drives_behaviours_apart():
    behaviours = jnp.array([[0.0], [0.1], [0.2]])
    gradient = jax.grad(lambda embeddings: log_determinant(embeddings, 0.5, 1e-4))(behaviours)
    assert gradient[0, 0] < 0 < gradient[2, 0]
