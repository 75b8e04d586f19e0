"""Fresh members under every strategy."""

import jax
import numpy as np
import pytest

from phylon.spec import DDPGSpec, MLPSpec, hyperparameters
from worker.algorithms import build_algorithm
from worker.core.types import EnvironmentInfo
from worker.execution import Workload, build_execution

INFO = EnvironmentInfo(observation_shape=(17,), action_size=6, max_episode_steps=None)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("strategy", ["sequential", "vectorized", "sharded"])
def test_large_orthogonal_weights_start(strategy):
    """Their decomposition hung when hyper-parameters that lie on two CPU devices made it a program for both."""
    spec = DDPGSpec(name="ddpg", network=MLPSpec(hidden=(256, 256), init="orthogonal"))
    typical = {name: float(value) for name, value in hyperparameters(spec).items()}
    execution = build_execution(strategy, Workload(build_algorithm(spec, INFO), INFO, 2, typical))
    hyperparams = execution.place({name: np.full(2, value, np.float32) for name, value in typical.items()})
    population = jax.device_get(execution.init(np.zeros(2, np.uint32), hyperparams))
    kernel = population.policy["params"]["hidden_1"]["kernel"]
    np.testing.assert_allclose(kernel[0].T @ kernel[0], 2 * np.eye(256), atol=1e-4)
    assert not np.array_equal(kernel[0], kernel[1])
