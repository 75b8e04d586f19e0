"""MJX is Gymnasium's MuJoCo with other arithmetic: the same formulas, and from the same state to the same place."""

import jax
import jax.numpy as jnp
import mujoco.mjx as mjx
import numpy as np
import pytest

from phylon.spec.environment import EnvironmentSpec
from phylon.worker.environments import describe, make_environments, make_renderer
from phylon.worker.environments.gymnasium_suite import open_environment
from phylon.worker.environments.jax_environment import JaxPool
from phylon.worker.environments.mjx_tasks import TASKS, Moved, Start


@pytest.fixture(autouse=True)
def lenient():
    """MJX's own code relies on what our tests forbid."""
    with jax.numpy_rank_promotion("allow"):
        yield


@pytest.fixture
def plain():
    """Gymnasium's own environments, without their time limits."""
    opened = []

    def make(id):
        opened.append(open_environment(id).unwrapped)
        return opened[-1]

    yield make
    for environment in opened:
        environment.close()


def test_inverted_pendulum_is_gymnasiums_ends_both_ways_and_is_drawn(plain):
    renderer = make_renderer(EnvironmentSpec(suite="mjx", id="InvertedPendulum-v5"))
    assert renderer is not None, "this machine lacks the libraries for drawing; the log says which"
    environments, expected = renderer.environments, plain("InvertedPendulum-v5")
    first = environments.reset(np.array([1]))
    assert 0 < np.abs(first).max() <= 0.01
    picture = renderer.frame()
    assert (picture.shape, picture.dtype) == ((480, 480, 3), np.uint8)
    expected.reset(seed=0)
    expected.set_state(first[0, :2].astype(np.float64), first[0, 2:].astype(np.float64))
    for _ in range(20):
        result = environments.step(np.full((1, 1), 0.8, np.float32))
        obs, reward, terminated, *_ = expected.step(np.array([0.8 * 3]))  # it takes [-3, 3]
        np.testing.assert_allclose(result.next_obs[0], obs, atol=1e-4)
        assert (result.reward[0], result.terminated[0]) == (reward, terminated)
        if terminated:
            break
        latest = renderer.frame()
    assert result.terminated[0]
    assert not result.truncated[0]
    assert (latest != picture).any()
    assert np.abs(result.obs).max() <= 0.01  # a new episode
    assert not np.array_equal(result.obs, first)

    pool = environments.now
    assert pool.states.steps.tolist() == [0]
    environments.now = pool._replace(states=pool.states._replace(steps=pool.states.steps + 999))
    result = environments.step(np.zeros((1, 1), np.float32))
    assert (result.truncated[0], result.terminated[0]) == (True, False)
    np.testing.assert_array_equal(environments.reset(np.array([1])), first)


@pytest.mark.parametrize("id", TASKS)
def test_formulas_are_gymnasiums(id, plain):
    """On Gymnasium's own movements, so that only the formulas are compared."""
    task, environment = TASKS[id], plain(id)
    obs, _ = environment.reset(seed=0)
    environment.action_space.seed(0)
    after = mjx.put_data(environment.model, environment.data, impl="jax")
    np.testing.assert_allclose(task.observe(after), obs, atol=1e-5)
    rewards = set()
    for _ in range(12):
        before, action = after, environment.action_space.sample()
        obs, reward, terminated, *_ = environment.step(action)
        after = mjx.put_data(environment.model, environment.data, impl="jax")
        judgement = task.judge(Moved(before, after, jnp.asarray(action), environment.dt))
        np.testing.assert_allclose(task.observe(after), obs, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(judgement.reward, reward, rtol=1e-4, atol=1e-3)
        assert bool(judgement.terminated) == terminated
        rewards.add(reward)
    assert task.frame_skip == environment.frame_skip
    assert len(rewards) > 1 or id == "InvertedPendulum-v5"


@pytest.mark.parametrize(
    ("id", "coordinate", "value"),
    [
        ("Ant-v5", 2, 1.2),  # too high
        ("Hopper-v5", 1, 0.5),  # too low
        ("InvertedDoublePendulum-v5", 1, 1.5),  # tilted, as the next one
        ("Walker2d-v5", 2, 1.2),
    ],
)
def test_what_falls_has_terminated(id, coordinate, value, plain):
    environment, action = plain(id), jnp.zeros(describe("mjx", id).action_size)
    environment.reset(seed=0)
    qpos = environment.init_qpos.copy()
    qpos[coordinate] = value
    environment.set_state(qpos, environment.init_qvel)
    before = mjx.put_data(environment.model, environment.data, impl="jax")
    assert environment.step(np.asarray(action))[2]
    after = mjx.put_data(environment.model, environment.data, impl="jax")
    assert TASKS[id].judge(Moved(before, after, action, environment.dt)).terminated


@pytest.mark.parametrize("id", TASKS)
def test_beginnings_are_spread_as_gymnasiums(id, plain):
    environment, task = plain(id), TASKS[id]
    qpos, qvel = jnp.asarray(environment.init_qpos, jnp.float32), jnp.zeros(environment.model.nv)

    def begin(key):
        return task.begin(Start(key, qpos, qvel))

    ours = jnp.concatenate(jax.vmap(begin)(jax.random.split(jax.random.key(0), 1000)), axis=1)
    theirs = []
    for seed in range(300):
        environment.reset(seed=seed)
        theirs.append(np.concatenate([environment.data.qpos, environment.data.qvel]))
    np.testing.assert_allclose(np.mean(ours, axis=0), np.mean(theirs, axis=0), atol=0.03)
    np.testing.assert_allclose(np.std(ours, axis=0), np.std(theirs, axis=0), rtol=0.2, atol=1e-6)


@pytest.mark.parametrize("id", TASKS)
def test_spaces_are_gymnasiums(id):
    assert describe("mjx", id) == describe("gymnasium", id)
    environments = make_environments(EnvironmentSpec(suite="mjx", id=id), 3)
    assert isinstance(environments, JaxPool)
    assert (environments.count, environments.info) == (3, describe("mjx", id))
