"""The kernel by hand and against scikit-learn, and that its length-scales are really fitted."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern

from phylon.worker.population.pb2.fitting import fit
from phylon.worker.population.pb2.gaussian_process import Data
from phylon.worker.population.pb2.kernels import Inputs, Pairs, compare
from phylon.worker.population.trust_region.kernel import (
    Parameters,
    limits_of,
    numbers_alone,
    numbers_and_categories,
    usual_parameters,
)

RANDOM = np.random.default_rng(0)
SCALES = np.array([0.3, 0.7, 1.2], np.float32)
PARAMETERS = Parameters(*(jnp.asarray(value, jnp.float32) for value in (2.0, SCALES, 0.8, 0.3, 0.1)))


def points(size, numbers=3, categories=2):
    return Inputs(
        jnp.asarray(RANDOM.integers(0, 9, size), jnp.float32),
        jnp.asarray(RANDOM.random((size, numbers)), jnp.float32),
        jnp.asarray(RANDOM.integers(0, 3, (size, categories)), jnp.int32),
    )


def test_numbers_are_those_of_scikit_learn_with_a_length_scale_each():
    left, right = (points(size)._replace(time=jnp.zeros(size)) for size in (5, 7))
    ours = numbers_alone(PARAMETERS, compare(left, right))
    np.testing.assert_allclose(
        ours, 2 * Matern(SCALES, nu=2.5)(np.asarray(left.numbers), np.asarray(right.numbers)), rtol=1e-4
    )


def test_together_with_categories_and_time_by_hand():
    pairs = Pairs(jnp.array([[[0.09, 0.0, 0.0]]]), jnp.full((1, 1), 3.0), jnp.full((1, 1), 0.5))
    distance = np.sqrt(5.0)  # 0.3 is one length-scale of 0.3
    numbers = (1 + distance + 5 / 3) * np.exp(-distance)
    categories = np.exp(-0.8 * 0.5)
    expected = 2 * (numbers + categories + numbers * categories) / 3 * 0.7**1.5
    assert numbers_and_categories(PARAMETERS, pairs)[0, 0] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("kernel", [numbers_alone, numbers_and_categories])
def test_a_kernel_is_a_covariance_with_a_slope_everywhere(kernel):
    inputs = points(40)
    matrix = np.asarray(kernel(PARAMETERS, compare(inputs, inputs)), np.float64)
    np.testing.assert_allclose(matrix, matrix.T, rtol=1e-5)
    np.testing.assert_allclose(np.diag(matrix), 2.0, rtol=1e-5)
    assert np.linalg.eigvalsh(matrix).min() > -1e-5
    slope = jax.grad(lambda moved: jnp.sum(kernel(PARAMETERS, compare(inputs._replace(numbers=moved), inputs))))
    assert np.all(np.isfinite(slope(inputs.numbers)))  # also at the distance 0


def fitted_length_scales(kernel):
    """Of a function of the first of two numbers alone."""
    random = np.random.default_rng(1)
    numbers = random.random((60, 2))
    targets = np.sin(7 * numbers[:, 0]) * np.sqrt(2) + 0.1 * random.standard_normal(60)
    inputs = Inputs(jnp.zeros(60), jnp.asarray(numbers, jnp.float32), jnp.zeros((60, 0), jnp.int32))
    data = Data(inputs, jnp.asarray(targets, jnp.float32), jnp.ones(60, jnp.bool_))
    compiled = jax.jit(
        lambda data: fit(jax.random.key(0), kernel, data, usual_parameters(2), limits_of(2)),
        compiler_options={"xla_backend_optimization_level": 0},
    )
    return np.asarray(compiled(data).length_scales)


def assert_the_idle_number_is_found(kernel):
    telling, idle = fitted_length_scales(kernel)
    assert telling < 0.6 and idle > 1.0 and idle > 2 * telling, (telling, idle)


def test_a_number_without_effect_has_a_long_length_scale():
    assert_the_idle_number_is_found(numbers_alone)


def test_the_guard_notices_length_scales_that_are_not_trained():
    """In the authors' code the optimiser never sees those of the contextual kernel."""

    def theirs(parameters, pairs):
        frozen = jnp.full_like(parameters.length_scales, 0.5)
        return numbers_alone(parameters._replace(length_scales=frozen + 0 * parameters.length_scales), pairs)

    with pytest.raises(AssertionError):
        assert_the_idle_number_is_found(theirs)
