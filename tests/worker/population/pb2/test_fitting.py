import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from phylon.worker.population.pb2.fitting import BOUNDS, bounded, fit, unbounded, usual_parameters
from phylon.worker.population.pb2.gaussian_process import Data, log_likelihood
from phylon.worker.population.pb2.kernels import Inputs, Parameters, compare, time_varying

SIZE, ROOM = 72, 80
compiled_fit = jax.jit(
    lambda key, data: fit(key, time_varying, data, usual_parameters()),
    compiler_options={"xla_backend_optimization_level": 0},
)


def data_of(numbers, time, targets):
    def fill(values):
        return jnp.asarray(np.concatenate([values, np.ones((ROOM - len(values), *values.shape[1:]))]), jnp.float32)

    inputs = Inputs(fill(time), fill(numbers), jnp.zeros((ROOM, 0), jnp.int32))
    return Data(inputs, fill(targets), jnp.arange(ROOM) < len(targets))


def test_the_fit_is_as_likely_as_that_of_scikit_learn():
    random = np.random.default_rng(0)
    numbers = random.random((SIZE, 2))
    targets = np.sin(6 * numbers[:, 0]) * np.cos(3 * numbers[:, 1]) + 0.2 * random.standard_normal(SIZE)
    targets = (targets - targets.mean()) / targets.std()
    data = data_of(numbers, np.zeros(SIZE), targets)
    fitted = compiled_fit(jax.random.key(0), data)
    ours = log_likelihood(time_varying, fitted, compare(data.inputs, data.inputs), data.targets, data.is_there)

    def limits(name):
        return BOUNDS[name].low, BOUNDS[name].high

    kernel = ConstantKernel(1.0, limits("variance")) * RBF(0.5, limits("length_scale"))
    kernel += WhiteKernel(0.1, limits("noise"))
    reference = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=3, random_state=0).fit(
        numbers, targets
    )
    assert ours == pytest.approx(reference.log_marginal_likelihood_value_, abs=0.1)
    assert fitted.length_scale == pytest.approx(reference.kernel_.k1.k2.length_scale, rel=0.1)
    assert fitted.noise == pytest.approx(reference.kernel_.k2.noise_level, rel=0.2)


@pytest.mark.parametrize("decay", [0.002, 0.4])
def test_the_fit_recovers_the_decay(decay):
    """Functions drawn from the model itself: 24 rounds of 3 members."""
    fitted = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        time, numbers = np.repeat(np.arange(24.0), 3), random.random((SIZE, 1))
        data = data_of(numbers, time, np.zeros(SIZE))
        truth = Parameters(*(jnp.float32(value) for value in (1.0, 0.4, decay, 0.01, 0.5, 0.1)))
        matrix = np.asarray(time_varying(truth, compare(data.inputs, data.inputs)), np.float64)[:SIZE, :SIZE]
        targets = random.multivariate_normal(np.zeros(SIZE), matrix + 0.01 * np.eye(SIZE))
        fitted.append(float(compiled_fit(jax.random.key(seed), data_of(numbers, time, targets)).time_decay))
    assert np.median(fitted) == pytest.approx(decay, abs=0.1), fitted


def test_bounds_are_kept_and_undone():
    like = usual_parameters()
    for free in (-50.0, 0.3, 50.0):
        parameters = bounded(jnp.full(6, free), like)
        for name, value in parameters._asdict().items():
            assert BOUNDS[name].low * 0.9999 <= value <= BOUNDS[name].high * 1.0001
    free = jnp.array([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(unbounded(bounded(free, like)), free, atol=1e-3)
    assert np.all(np.isfinite(unbounded(bounded(jnp.full(6, 50.0), like))))


def test_it_survives_targets_that_say_nothing():
    data = data_of(np.full((SIZE, 2), 0.5), np.zeros(SIZE), np.zeros(SIZE))
    assert all(np.isfinite(value) for value in compiled_fit(jax.random.key(0), data))
    nothing = data._replace(is_there=jnp.zeros(ROOM, jnp.bool_))
    assert all(np.isfinite(value) for value in compiled_fit(jax.random.key(0), nothing))
