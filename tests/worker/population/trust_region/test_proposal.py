from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from scipy.stats import norm

from phylon.spec.methods.bg_pbt import TrustRegionSpec
from phylon.worker.population.pb2.observations import nothing
from phylon.worker.population.pb2.proposal import Pending
from phylon.worker.population.trust_region.kernel import usual_parameters
from phylon.worker.population.trust_region.proposal import normal_scores, suggest
from phylon.worker.population.trust_region.region import fresh

SIZE, REPLACED, ROWS = 8, 3, 40
SLOTS = jnp.arange(REPLACED)
WIDE = fresh(TrustRegionSpec(initial=1.0))._replace(side=jnp.float32(2.0))


class TestNormalScores:
    def test_by_hand(self):
        found = normal_scores(jnp.array([5.0, -1e9, 7.0, 6.0]), jnp.ones(4, bool))
        np.testing.assert_allclose(found, norm.ppf([0.375, 0.125, 0.875, 0.625]), rtol=1e-5)

    def test_ties_are_alike_and_what_is_not_there_is_left_out(self):
        found = normal_scores(jnp.array([1.0, 1.0, 99.0, 2.0]), jnp.array([True, True, False, True]))
        np.testing.assert_allclose(found, [norm.ppf(1 / 3), norm.ppf(1 / 3), 0, norm.ppf(2.5 / 3)], rtol=1e-5)

    def test_nothing_at_all(self):
        assert normal_scores(jnp.zeros(3), jnp.zeros(3, bool)).tolist() == [0, 0, 0]


def known(gain, categories=1):
    random = np.random.default_rng(0)
    numbers = jnp.asarray(random.random((ROWS, 2)), jnp.float32)
    kinds = jnp.asarray(random.integers(0, 3, (ROWS, categories)), jnp.int32)
    return nothing(ROWS, 2, categories)._replace(
        round=jnp.repeat(jnp.arange(1.0, 6.0), 8),
        numbers=numbers,
        categories=kinds,
        gain=gain(numbers, kinds),
        is_there=jnp.ones(ROWS, jnp.bool_),
    )


def pending(centre=(0.5, 0.5), categories=1):
    return Pending(
        start=jnp.zeros(SIZE),
        numbers=jnp.broadcast_to(jnp.asarray(centre, jnp.float32), (SIZE, 2)),
        categories=jnp.zeros((SIZE, categories), jnp.int32),
        is_there=jnp.arange(SIZE) >= REPLACED,
    )


@partial(jax.jit, static_argnums=(0, 1), compiler_options={"xla_backend_optimization_level": 0})
def compiled(optimism, arms, observations, coming, region):
    return suggest(jax.random.key(0), optimism, arms, observations, coming, SLOTS, region, usual_parameters(3))[0]


def hill(numbers, kinds):
    top = jnp.array([[0.8, 0.3]])
    return -jnp.sum((numbers - top) ** 2, axis=-1) + 0.3 * jnp.sum(kinds == 2, axis=-1)


def test_what_was_good_is_sought_numbers_and_category_alike():
    found = compiled(0.1, (3,), known(hill), pending(), WIDE)
    assert np.linalg.norm(found.numbers[0] - np.array([0.8, 0.3])) < 0.25
    assert found.categories[0].tolist() == [2]
    assert found.mean[0] > 0.8  # among the best of all that was seen


def test_but_not_beyond_the_region():
    small = WIDE._replace(side=jnp.float32(0.2))
    found = compiled(0.1, (3,), known(hill), pending(centre=(0.3, 0.7)), small)
    assert np.all(np.prod(np.abs(found.numbers - np.array([[0.3, 0.7]])), axis=-1) <= 0.1**2 + 1e-6)
    assert np.all(np.linalg.norm(found.numbers - np.array([[0.8, 0.3]]), axis=-1) > 0.3)


def test_a_batch_is_spread_apart():
    ridge = known(lambda numbers, kinds: -((numbers[:, 0] - 0.7) ** 2), categories=0)
    found = compiled(3.0, (), ridge, pending(categories=0), WIDE)
    points = np.asarray(found.numbers)
    distances = np.linalg.norm(points[:, None] - points[None, :], axis=-1)[np.triu_indices(REPLACED, 1)]
    assert distances.min() > 0.05, points
    assert np.all(np.diff(found.acquisition) <= 1e-3)


def test_optimism_is_in_deviations_that_include_noise():
    found = compiled(3.0, (3,), known(hill), pending(), WIDE)
    np.testing.assert_allclose(found.acquisition, found.mean + 3 * found.deviation, rtol=1e-5)
    assert np.all(found.deviation > np.sqrt(5e-3))
