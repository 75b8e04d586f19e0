"""Acting is the algorithm's own, for each member with its own weights, numbers and key."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import bounds, hyperparameters
from phylon.spec.algorithms import DQNSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.execution import Workload
from phylon.worker.execution.acting import find_leaves_read, make_acting

SIZE, KEY = 4, np.array([1, 2], np.uint32)


@pytest.fixture
def obs():
    return np.random.default_rng(1).standard_normal((SIZE, 5, 3), np.float32)


@pytest.fixture
def actor(setting, execution):
    return execution.acting.actor(setting.start(execution), execution.place(setting.hyperparams))


def test_explores_like_each_member_alone(setting, execution, actor, obs):
    population = jax.device_get(setting.start(execution))
    keys = execution.acting.keys(KEY, 3, 2)[1]
    actions = actor.explore(obs, keys)
    for slot in range(SIZE):
        state, hyperparams = jax.tree.map(lambda values, slot=slot: values[slot], (population, setting.hyperparams))
        key = jax.random.wrap_key_data(jnp.asarray(keys[slot]))
        alone = setting.work.algorithm.act(state, hyperparams, obs[slot], key, True)
        np.testing.assert_allclose(actions[slot], alone, rtol=1e-4, atol=1e-6)


def test_exploits_without_noise(setting, execution, actor, obs):
    population = jax.device_get(setting.start(execution))
    actions = actor.exploit(obs)
    np.testing.assert_array_equal(actions, actor.exploit(obs))
    state, hyperparams = jax.tree.map(lambda values: values[2], (population, setting.hyperparams))
    alone = setting.work.algorithm.act(state, hyperparams, obs[2], jax.random.key(0), False)
    np.testing.assert_allclose(actions[2], alone, rtol=1e-4, atol=1e-6)


def test_keys_differ_between_segments_calls_and_members(execution):
    keys = np.concatenate([execution.acting.keys(KEY, segment, 10) for segment in range(3)])
    assert keys.shape == (30, SIZE, 2)
    assert len(np.unique(keys.reshape(-1, 2), axis=0)) == 30 * SIZE


def test_keys_do_not_depend_on_the_strategy(setting):
    sequential, sharded = (setting.build(name).acting.keys(KEY, 5, 4) for name in ("sequential", "sharded"))
    np.testing.assert_array_equal(sequential, sharded)


def test_only_what_acting_reads_is_carried_along():
    read = find_leaves_read(
        lambda tree, x: tree["used"] * x, ({"unused": jnp.ones(2), "used": jnp.ones(2)},), jnp.ones(2)
    )
    assert read == [False, True]


def test_acting_on_images_reads_one_network_of_dqns_two_and_no_optimiser():
    algorithm = DQNSpec(
        name="dqn", network={"kind": "cnn", "channels": [2], "kernels": [3], "strides": [2], "hidden": [4]}
    )
    info = EnvironmentInfo((8, 8, 1), 2, None, is_discrete=True, observation_dtype="uint8")
    numbers = {name: sum(bounds(value)) / 2 for name, value in hyperparameters(algorithm).items()}
    work = Workload(partial(build_algorithm, algorithm, info), info, SIZE, numbers)
    shape, hyperparams = work.population_shape(), work.hyperparams_shape()
    read = make_acting(work, shape, jax.local_devices()[0]).actor(shape, hyperparams).policies
    assert 0 < len(read) < len(jax.tree.leaves((shape, hyperparams))) // 2
