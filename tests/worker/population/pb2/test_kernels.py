import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern

from phylon.worker.population.pb2.kernels import (
    Inputs,
    Pairs,
    Parameters,
    compare,
    mixed,
    squared_exponential,
    time_kernel,
    time_varying,
    time_varying_mixed,
    time_varying_within,
)

RANDOM = np.random.default_rng(0)
PARAMETERS = Parameters(*(jnp.float32(value) for value in (2.0, 0.5, 0.3, 0.1, 0.25, 0.4)))


def points(size, numbers=3, categories=2):
    return Inputs(
        jnp.asarray(RANDOM.integers(0, 9, size), jnp.float32),
        jnp.asarray(RANDOM.random((size, numbers)), jnp.float32),
        jnp.asarray(RANDOM.integers(0, 3, (size, categories)), jnp.int32),
    )


def test_what_lies_between_points():
    left = Inputs(jnp.array([1.0, 4.0]), jnp.array([[0.0, 0.0], [1.0, 1.0]]), jnp.array([[0, 1], [2, 2]]))
    right = Inputs(jnp.array([3.0]), jnp.array([[0.3, 0.4]]), jnp.array([[0, 2]]))
    pairs = compare(left, right)
    np.testing.assert_allclose(pairs.squared_distance, [[0.25], [0.85]], rtol=1e-6)
    assert pairs.lag.tolist() == [[2], [1]]
    assert pairs.overlap.tolist() == [[0.5], [0.5]]


def test_squared_exponential_is_that_of_scikit_learn():
    left, right = points(5), points(7)
    ours = squared_exponential(compare(left, right).squared_distance, jnp.float32(0.4))
    np.testing.assert_allclose(ours, RBF(0.4)(left.numbers, right.numbers), rtol=2e-5)


@pytest.mark.parametrize("decay", [0.01, 0.3, 0.5])
def test_time_decay_by_hand_and_as_the_exponential_kernel(decay):
    lag = jnp.array([[0.0, 1.0, 2.0, 7.0]])
    ours = time_kernel(lag, jnp.float32(decay))
    np.testing.assert_allclose(ours, [[1, (1 - decay) ** 0.5, 1 - decay, (1 - decay) ** 3.5]], rtol=1e-5)
    exponential = Matern(length_scale=-2 / np.log(1 - decay), nu=0.5)([[0.0]], lag.T)
    np.testing.assert_allclose(ours, exponential, rtol=1e-5)


def test_mixed_is_a_sum_at_one_end_and_a_product_at_the_other():
    numbers, categories = jnp.float32(0.6), jnp.float32(0.5)
    assert mixed(numbers, categories, jnp.float32(0.0)) == pytest.approx(0.55)
    assert mixed(numbers, categories, jnp.float32(1.0)) == pytest.approx(0.3)
    assert mixed(numbers, categories, jnp.float32(0.2)) == pytest.approx(0.8 * 0.55 + 0.2 * 0.3)


def test_time_varying_kernels_by_hand():
    pairs = Pairs(jnp.full((1, 1, 1), 0.09), jnp.full((1, 1), 3.0), jnp.full((1, 1), 0.5))
    numbers = np.exp(-0.09 / (2 * 0.25)) * 0.7**1.5
    assert time_varying(PARAMETERS, pairs)[0, 0] == pytest.approx(2 * numbers, rel=1e-5)
    assert time_varying_within(PARAMETERS, pairs)[0, 0] == 0  # half of the categories differ
    assert time_varying_within(PARAMETERS, pairs._replace(overlap=jnp.ones((1, 1)))) == time_varying(PARAMETERS, pairs)
    categories = 0.5 * 0.6**1.5
    expected = 2 * (0.75 * (numbers + categories) / 2 + 0.25 * numbers * categories)
    assert time_varying_mixed(PARAMETERS, pairs)[0, 0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kernel", [time_varying, time_varying_within, time_varying_mixed])
def test_a_kernel_is_a_covariance(kernel):
    inputs = points(40)
    matrix = np.asarray(kernel(PARAMETERS, compare(inputs, inputs)), np.float64)
    np.testing.assert_allclose(matrix, matrix.T)
    np.testing.assert_allclose(np.diag(matrix), 2.0, rtol=1e-6)  # the fitted variance, not always 1
    assert np.linalg.eigvalsh(matrix).min() > -1e-5
