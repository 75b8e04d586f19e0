"""Against scikit-learn on the kernels that it has, and against closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from phylon.worker.population.pb2 import gaussian_process as gp
from phylon.worker.population.pb2.gaussian_process import Data, gaussian_log_density
from phylon.worker.population.pb2.kernels import Inputs, Parameters, compare, time_varying

PARAMETERS = Parameters(*(jnp.float32(value) for value in (1.5, 0.4, 0.2, 0.05, 0.5, 0.1)))

log_likelihood, condition, predict_mean, predict_variance = (
    jax.jit(function, static_argnums=0, compiler_options={"xla_backend_optimization_level": 0})
    for function in (gp.log_likelihood, gp.condition, gp.predict_mean, gp.predict_variance)
)


def inputs(numbers, time=None):
    size = len(numbers)
    time = np.zeros(size) if time is None else time
    return Inputs(jnp.asarray(time, jnp.float32), jnp.asarray(numbers, jnp.float32), jnp.zeros((size, 0), jnp.int32))


def observed(size=30, room=48, seed=0):
    """`size` observations in a buffer with more room, which is full of rubbish."""
    random = np.random.default_rng(seed)
    numbers = random.random((room, 2))
    targets = np.sin(5 * numbers[:, 0]) + numbers[:, 1] + 0.1 * random.standard_normal(room)
    targets[size:] = 1e6
    return Data(inputs(numbers), jnp.asarray(targets, jnp.float32), jnp.arange(room) < size)


@pytest.fixture(scope="module")
def data():
    return observed()


@pytest.fixture(scope="module")
def reference(data):
    size = int(data.is_there.sum())
    regressor = GaussianProcessRegressor(ConstantKernel(1.5) * RBF(0.4) + WhiteKernel(0.05), alpha=0.0, optimizer=None)
    return regressor.fit(np.asarray(data.inputs.numbers[:size]), np.asarray(data.targets[:size]))


def test_the_likelihood_is_that_of_scikit_learn(data, reference):
    pairs = compare(data.inputs, data.inputs)
    ours = log_likelihood(time_varying, PARAMETERS, pairs, data.targets, data.is_there)
    assert ours == pytest.approx(reference.log_marginal_likelihood_value_, abs=2e-3)


def test_predictions_are_those_of_scikit_learn(data, reference):
    places = np.random.default_rng(1).random((20, 2))
    posterior = condition(time_varying, PARAMETERS, data)
    mean, deviation = reference.predict(places, return_std=True)
    np.testing.assert_allclose(predict_mean(time_varying, posterior, inputs(places)), mean, atol=1e-3)
    # theirs is of an observation, ours of the function
    ours = predict_variance(time_varying, posterior, inputs(places))
    np.testing.assert_allclose(ours, deviation**2 - 0.05, atol=1e-4)


def test_the_slope_of_the_likelihood_is_that_of_autodiff():
    random = np.random.default_rng(0)
    root = random.standard_normal((6, 6))
    matrix, targets = jnp.asarray(root @ root.T + np.eye(6), jnp.float32), jnp.asarray(random.random(6), jnp.float32)

    def plain(matrix, targets):
        return jax.scipy.stats.multivariate_normal.logpdf(targets, jnp.zeros(6), matrix)

    densities, slopes = jax.jit(
        lambda: tuple(
            zip(*(jax.value_and_grad(f, (0, 1))(matrix, targets) for f in (gaussian_log_density, plain)), strict=True)
        )
    )()
    assert densities[0] == pytest.approx(float(densities[1]), rel=1e-5)
    (ours, ours_of_targets), (theirs, theirs_of_targets) = slopes
    np.testing.assert_allclose(ours, (theirs + theirs.T) / 2, atol=1e-5)
    np.testing.assert_allclose(ours_of_targets, theirs_of_targets, atol=1e-5)


def test_one_observation_by_hand():
    data = Data(inputs(np.full((48, 2), 0.2), time=np.full(48, 3.0)), jnp.full(48, 2.0), jnp.arange(48) == 7)
    posterior = condition(time_varying, PARAMETERS, data)
    place = inputs(np.full((20, 2), [0.2, 0.6]), time=np.full(20, 4.0))
    covariance = 1.5 * np.exp(-0.5) * 0.8**0.5
    assert predict_mean(time_varying, posterior, place)[0] == pytest.approx(covariance / 1.55 * 2, rel=1e-5)
    assert predict_variance(time_varying, posterior, place)[0] == pytest.approx(1.5 - covariance**2 / 1.55, rel=1e-5)


def test_without_data_a_prediction_is_the_prior():
    data = observed(size=0)
    posterior = condition(time_varying, PARAMETERS, data)
    place = inputs(np.full((20, 2), 0.3))
    assert predict_mean(time_varying, posterior, place)[0] == 0
    assert predict_variance(time_varying, posterior, place)[0] == pytest.approx(1.5)
    pairs = compare(data.inputs, data.inputs)
    assert log_likelihood(time_varying, PARAMETERS, pairs, data.targets, data.is_there) == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("size", [256, 1000])
def test_it_is_stable_where_it_is_hardest(size):
    """The worst that a fit may choose: all points almost in one place, the largest variance, the least noise."""
    worst = Parameters(*(jnp.float32(value) for value in (4.0, 2.0, 1e-4, 5e-3, 0.5, 0.1)))
    numbers = 0.5 + 0.01 * np.random.default_rng(0).random((size, 5))
    data = Data(inputs(numbers), jnp.sin(400 * jnp.asarray(numbers[:, 0], jnp.float32)), jnp.ones(size, jnp.bool_))
    posterior = condition(time_varying, worst, data)
    mean = predict_mean(time_varying, posterior, data.inputs)
    variance = predict_variance(time_varying, posterior, data.inputs)
    assert np.all(np.isfinite(mean)) and np.all(np.abs(mean) < 1)
    assert np.all(variance < 5e-3)
