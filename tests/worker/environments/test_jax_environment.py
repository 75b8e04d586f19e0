"""Pools of pure environments: who ends restarts, and only they; what ended is told apart."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.jax_environment import JaxEnvironment, JaxPool, JaxStep, advance, start

LIMIT = 3


def reset(key):
    """Something random that tells episodes apart, and the time."""
    obs = jnp.stack([jax.random.uniform(key), 0.0])
    return obs, obs


def step(state, action, key):
    """An action of 1 ends it all; the time limit cuts."""
    del key
    obs = state.at[1].add(1.0)
    return JaxStep(obs, obs, action[0], action[0] == 1, obs[1] >= LIMIT)


LIMITED = JaxEnvironment(EnvironmentInfo((2,), 1, LIMIT), reset, step)
SEEDS = np.array([3, 4, 3])


def keys():
    return jax.vmap(jax.random.key)(SEEDS.astype(np.uint32))


def actions(*values):
    return np.array(values, np.float32)[:, None]


def test_termination_and_truncation_restart_those_concerned_alone(variant):
    pool, first = variant(functools.partial(start, LIMITED))(keys())
    move = variant(functools.partial(advance, LIMITED))
    np.testing.assert_array_equal(first[0], first[2])  # the same seed
    assert first[0, 0] != first[1, 0]

    pool, result = move(pool, actions(1.0, 0.0, 0.5))
    np.testing.assert_array_equal(result.terminated, [True, False, False])
    assert not result.truncated.any()
    np.testing.assert_array_equal(result.reward, [1.0, 0.0, 0.5])
    np.testing.assert_array_equal(result.next_obs[0], [first[0, 0], 1])  # the true last one
    assert result.obs[0, 0] != first[0, 0]
    assert result.obs[0, 1] == 0
    np.testing.assert_array_equal(result.obs[1:], result.next_obs[1:])

    pool, result = move(pool, actions(0.0, 0.0, 0.0))
    np.testing.assert_array_equal(result.obs, result.next_obs)
    pool, result = move(pool, actions(0.0, 0.0, 0.0))
    np.testing.assert_array_equal(result.truncated, [False, True, True])
    assert not result.terminated.any()
    np.testing.assert_array_equal(result.next_obs[:, 1], [2, 3, 3])
    np.testing.assert_array_equal(result.obs[:, 1], [2, 0, 0])


def test_it_can_be_scanned_and_served_to_the_host_with_the_same_numbers():
    moves = np.random.default_rng(0).uniform(0, 0.9, (10, 3, 1)).astype(np.float32)

    @jax.jit
    def scanned(keys, moves):
        pool, _ = start(LIMITED, keys)
        return jax.lax.scan(functools.partial(advance, LIMITED), pool, moves)[1]

    expected = scanned(keys(), moves)
    environments = JaxPool(LIMITED, 3)
    for _ in range(2):
        first = environments.reset(SEEDS)
        assert (first.dtype, first.shape) == (np.float32, (3, 2))
        for number, action in enumerate(moves):
            result = environments.step(action)
            for name, array in result._asdict().items():
                np.testing.assert_array_equal(array, getattr(expected, name)[number], err_msg=name)
    assert result.obs.flags.writeable
    assert result.terminated.dtype == result.truncated.dtype == np.bool_
    environments.close()
