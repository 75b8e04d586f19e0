import gymnasium
import jax
import numpy as np
import pytest

from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import describe, make_environments, make_renderer
from phylon.worker.environments.gymnax_suite import make_jax_environment


def test_cartpole_moves_as_gymnasiums_does_and_terminates():
    environment = make_jax_environment("CartPole-v1")
    assert environment.info == EnvironmentInfo((4,), 2, 500, is_discrete=True)
    reset, step = jax.jit(environment.reset), jax.jit(environment.step)
    plain = gymnasium.make("CartPole-v1").unwrapped
    plain.reset(seed=0)
    state, obs = reset(jax.random.key(0))
    plain.state = tuple(map(float, obs))
    for number in range(30):
        result = step(state, np.int32(1), jax.random.key(number))
        expected, reward, terminated, *_ = plain.step(1)
        np.testing.assert_allclose(result.obs, expected, rtol=1e-4, atol=1e-6)
        assert (float(result.reward), bool(result.terminated)) == (reward, terminated)
        state = result.state
        if terminated:
            break
    assert terminated
    assert not result.truncated


def test_a_pool_is_truncated_scales_actions_and_follows_its_seeds():
    environments = make_environments(EnvironmentSpec(suite="gymnax", id="Pendulum-v1"), 3)
    obs = environments.reset(np.array([1, 2, 1]))
    assert (obs.dtype, obs.shape) == (np.float32, (3, 3))
    np.testing.assert_array_equal(obs[0], obs[2])
    assert (obs[0] != obs[1]).any()
    action = np.array([[-1.0], [0.25], [-1.0]], np.float32)
    result = environments.step(action)
    speed = obs[:, 2] + (15 * obs[:, 1] + 3 * 2 * action[:, 0]) * 0.05  # Pendulum takes [-2, 2]
    np.testing.assert_allclose(result.obs[:, 2], speed, rtol=1e-4)
    for _ in range(199):
        assert not (result.truncated | result.terminated).any()
        result = environments.step(action)
    assert result.truncated.all()
    assert not result.terminated.any()
    assert (result.obs != result.next_obs).any(axis=1).all()
    np.testing.assert_array_equal(result.obs[0], result.obs[2])


def test_spaces_that_the_engine_cannot_use_are_refused():
    with pytest.raises(UnsupportedEnvironment, match="observations of 'FrozenLake-misc' are 16 discrete values"):
        describe("gymnax", "FrozenLake-misc")


def test_there_is_nothing_to_see():
    assert make_renderer(EnvironmentSpec(suite="gymnax", id="CartPole-v1")) is None
