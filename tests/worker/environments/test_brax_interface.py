"""MuJoCo Playground and Brax: their own numbers, episodes that end as ours do, and one program for all of it."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec.environment import EnvironmentSpec
from phylon.worker.environments import brax_suite, make_environments, make_renderer, playground_suite
from phylon.worker.environments.jax_environment import JaxPool
from phylon.worker.environments.wrappers.functional import innermost

pytestmark = pytest.mark.filterwarnings("ignore:Accessing:DeprecationWarning")  # by Brax, of MJX
SMALL = {"playground": "PendulumSwingup", "brax": "inverted_pendulum"}
LIMIT = 5
"""Before a fall."""


@pytest.fixture(autouse=True)
def lenient():
    """Their own code relies on what our tests forbid."""
    with jax.numpy_rank_promotion("allow"):
        yield


def make_pool(suite: str, count: int, limit: int) -> JaxPool:
    limited = EnvironmentSpec.model_validate(
        {"suite": suite, "id": SMALL[suite], "wrappers": [{"name": "time_limit", "steps": limit}]}
    )
    pool = make_environments(limited, count)
    assert isinstance(pool, JaxPool)
    return pool


def own(suite: str) -> Any:
    return {"playground": playground_suite, "brax": brax_suite}[suite]._open(SMALL[suite])


@pytest.mark.parametrize("suite", SMALL)
def test_steps_are_the_librarys_own_and_every_episode_starts_afresh(suite):
    pool, library = make_pool(suite, 2, LIMIT), own(suite)
    starts = [pool.reset(np.array([3, 4]))]
    assert pool.now is not None
    # what the library makes of the same state; its own reset has a key that only the pool knows
    first = innermost(pool.now.states).now
    expected, step = jax.tree.map(lambda leaf: leaf[0], first), jax.jit(library.step)
    for _ in range(2):
        for t in range(LIMIT):
            result = pool.step(np.full((2, 1), 0.1, np.float32))
            if len(starts) == 1:
                expected = step(expected, jnp.full(1, 0.1))
                np.testing.assert_allclose(result.next_obs[0], expected.obs, atol=1e-5)
                np.testing.assert_allclose(result.reward[0], expected.reward, atol=1e-5)
            assert not result.terminated.any()
            assert result.truncated.all() == (t == LIMIT - 1)
        assert not np.allclose(result.obs, result.next_obs), "the last observation is kept beside the first of the next"
        starts.append(result.obs)
    beginnings = np.concatenate(starts)
    assert len(np.unique(beginnings, axis=0)) == len(beginnings) == 6
    assert pool._advance._cache_size() == 1, "neither a restart nor a second episode is compiled again"


def test_a_fall_is_an_end_that_nobody_bootstraps_through():
    pool = make_pool("brax", 1, 1000)
    pool.reset(np.array([0]))
    for _ in range(100):
        result = pool.step(np.ones((1, 1), np.float32))
        if result.terminated[0]:
            break
    assert result.terminated[0] and not result.truncated[0]
    assert abs(result.next_obs[0, 1]) > 0.2 and np.abs(result.obs).max() <= 0.01


@pytest.mark.parametrize("suite", SMALL)
def test_it_is_drawn(suite):
    renderer = make_renderer(EnvironmentSpec(suite=suite, id=SMALL[suite]))
    assert renderer is not None, "this machine lacks the libraries for drawing; the log says which"
    renderer.environments.reset(np.array([1]))
    first = renderer.frame()
    assert (first.shape, first.dtype) == ((480, 480, 3), np.uint8) and first.std() > 1
    for _ in range(10):
        renderer.environments.step(np.ones((1, 1), np.float32))
    assert (renderer.frame() != first).any()
