from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec.methods.pb2 import OptimismSpec
from phylon.worker.population.pb2.fitting import usual_parameters
from phylon.worker.population.pb2.kernels import time_varying, time_varying_within
from phylon.worker.population.pb2.observations import nothing
from phylon.worker.population.pb2.proposal import Model, Pending, propose

SIZE, REPLACED = 8, 4
SLOTS = jnp.arange(REPLACED)


def known(gain, category=None):
    """16 members over two rounds on a grid of two numbers."""
    grid = jnp.stack(jnp.meshgrid(jnp.linspace(0.1, 0.9, 4), jnp.linspace(0.1, 0.9, 4)), axis=-1).reshape(16, 2)
    return nothing(16, 2, 1)._replace(
        round=jnp.repeat(jnp.array([1.0, 2.0]), 8),
        numbers=grid,
        categories=jnp.zeros((16, 1), jnp.int32) if category is None else category,
        gain=gain(grid),
        is_there=jnp.ones(16, jnp.bool_),
    )


def pending(categories=0):
    return Pending(
        start=jnp.zeros(SIZE),
        numbers=jnp.full((SIZE, 2), 0.5),
        categories=jnp.full((SIZE, 1), categories, jnp.int32),
        is_there=jnp.arange(SIZE) >= REPLACED,
    )


ALL, WITHIN = Model(time_varying), Model(time_varying_within, is_within_category=True)


@partial(jax.jit, static_argnums=0, compiler_options={"xla_backend_optimization_level": 0})
def proposed(model, observations, coming):
    key, optimism = jax.random.key(0), OptimismSpec(scale=2.0)
    return propose(key, model, optimism, observations, coming, SLOTS, usual_parameters())[0]


def test_a_batch_is_spread_apart():
    """A ridge along which all is equally good: each choice makes its surroundings known, so the next one keeps away."""
    ridge = known(lambda grid: -((grid[:, 0] - 0.7) ** 2))
    proposals = proposed(ALL, ridge, pending())
    points = np.asarray(proposals.numbers)
    np.testing.assert_allclose(points[:, 0], 0.7, atol=0.15)
    distances = np.abs(points[:, None, 1] - points[None, :, 1])[np.triu_indices(REPLACED, 1)]
    assert distances.min() > 0.05 and distances.max() > 0.5, points
    assert np.all(np.diff(proposals.deviation) <= 1e-4)  # what is left to be known grows less


def test_what_was_good_is_sought():
    hill = known(lambda grid: 100 - 50 * jnp.sum((grid - jnp.array([[0.8, 0.3]])) ** 2, axis=-1))
    proposals = proposed(ALL, hill, pending())
    assert np.linalg.norm(proposals.numbers[0] - np.array([0.8, 0.3])) < 0.35
    assert 80 < proposals.mean[0] < 110  # in units of gain
    np.testing.assert_array_less(proposals.mean, proposals.acquisition)
    assert np.all(proposals.is_modelled)


def test_within_a_category_others_are_not_looked_at():
    left_is_good = jnp.arange(16) % 2 == 0
    categories = jnp.where(left_is_good, 0, 1)[:, None]
    split = known(lambda grid: jnp.where(left_is_good, 1 - grid[:, 0], 5 * grid[:, 0]), categories)
    first, second, never = (proposed(WITHIN, split, pending(category)) for category in range(3))
    assert first.numbers[0, 0] < 0.4
    assert first.mean[0] == pytest.approx(0.9, abs=0.3)  # in units of its own category
    assert second.numbers[0, 0] > 0.6
    assert second.mean[0] == pytest.approx(4.5, abs=1.5)
    assert not np.any(never.is_modelled)
