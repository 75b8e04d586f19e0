"""MJX is Gymnasium's MuJoCo with other arithmetic: from the same state it goes to the same place."""

import gymnasium
import jax
import numpy as np
import pytest

from phylon.spec.environment import EnvironmentSpec
from worker.core.types import EnvironmentInfo
from worker.environments import describe, make_environments, make_renderer
from worker.environments.mjx_suite import make_jax_environment
from worker.environments.mjx_tasks import TASKS

AGREEING_STEPS = {"Ant-v5": 2}
"""Until its feet touch the ground: MJX turns the pyramid that stands for friction, which only matters in 3D."""


@pytest.fixture(autouse=True)
def lenient():
    """MJX's own code relies on what our tests forbid; and it is compiled in a hurry, or it would take minutes."""
    jax.config.update("jax_disable_most_optimizations", True)
    with jax.numpy_rank_promotion("allow"):
        yield
    jax.config.update("jax_disable_most_optimizations", False)


class Plain:
    """Gymnasium's own environment, put where ours is."""

    def __init__(self, id):
        self.environment = gymnasium.make(id).unwrapped
        self.environment.reset(seed=0)

    def place(self, data):
        """At the state of a `mjx.Data`."""
        self.environment.set_state(np.asarray(data.qpos, np.float64), np.asarray(data.qvel, np.float64))

    def step(self, action):
        """With an action in [-1, 1]."""
        space = self.environment.action_space
        obs, reward, terminated, *_ = self.environment.step(space.low + (action + 1) / 2 * (space.high - space.low))
        return obs, reward, terminated


def test_inverted_pendulum_is_gymnasiums_and_ends_both_ways():
    environments = make_environments(EnvironmentSpec(suite="mjx", id="InvertedPendulum-v5"), 2)
    assert environments.info == EnvironmentInfo((4,), 1, 1000)
    plain = Plain("InvertedPendulum-v5")
    first = environments.reset(np.array([1, 2]))
    assert (first[0] != first[1]).any()
    assert np.abs(first).max() <= 0.01
    action = np.array([[0.8], [0.0]], np.float32)
    plain.place(jax.tree.map(lambda leaf: leaf[0], environments.now.states.data))
    for _ in range(20):
        expected, reward, terminated = plain.step(action[0])
        result = environments.step(action)
        np.testing.assert_allclose(result.next_obs[0], expected, atol=1e-4)
        assert (result.reward[0], result.terminated[0]) == (reward, terminated)
        if terminated:
            break
    assert result.terminated.tolist() == [True, False]
    assert not result.truncated.any()
    assert np.abs(result.obs[0]).max() <= 0.01  # a new episode

    steps = environments.now.states.steps
    assert steps.tolist()[0] == 0
    nearly_over = environments.now.states._replace(steps=steps.at[1].set(999))
    environments.now = environments.now._replace(states=nearly_over)
    result = environments.step(np.zeros((2, 1), np.float32))
    assert result.truncated.tolist() == [False, True]
    assert not result.terminated.any()
    np.testing.assert_array_equal(environments.reset(np.array([1, 2])), first)


@pytest.mark.parametrize("id", TASKS)
def test_spaces_are_gymnasiums(id):
    assert describe("mjx", id) == describe("gymnasium", id)


@pytest.mark.slow
@pytest.mark.parametrize("id", sorted(TASKS.keys() - {"InvertedPendulum-v5"}))
def test_steps_agree_with_gymnasium(id):
    """Compiling each takes a minute or two on a CPU."""
    environment, plain = make_jax_environment(id), Plain(id)
    reset, step = jax.jit(environment.reset), jax.jit(environment.step)
    random = np.random.default_rng(0)
    state, obs = reset(jax.random.key(0))
    plain.place(state.data)
    assert obs.shape == environment.info.observation_shape
    for number in range(AGREEING_STEPS.get(id, 6)):
        action = random.uniform(-1, 1, environment.info.action_size).astype(np.float32)
        expected, reward, terminated = plain.step(action)
        result = step(state, action, jax.random.key(number))
        np.testing.assert_allclose(result.obs, expected, atol=5e-3)
        np.testing.assert_allclose(result.reward, reward, atol=1e-3)
        assert bool(result.terminated) == terminated
        state = result.state


@pytest.mark.slow
def test_what_is_drawn_follows_the_simulation():
    renderer = make_renderer(EnvironmentSpec(suite="mjx", id="InvertedPendulum-v5"))
    assert renderer is not None
    renderer.environments.reset(np.array([0]))
    first = renderer.frame()
    for _ in range(5):
        renderer.environments.step(np.ones((1, 1), np.float32))
    assert first.shape == renderer.frame().shape == (480, 480, 3)
    assert (renderer.frame() != first).any()
