"""Acting is the algorithm's own, for each member with its own weights, numbers and key."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import bounds, hyperparameters
from phylon.spec.algorithms import DQNSpec
from phylon.spec.algorithms.ppo import PPOSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.execution import Workload, build_execution
from phylon.worker.execution.acting import find_leaves_read, make_acting
from phylon.worker.execution.interface import EvaluationPolicy

SIZE, KEY = 4, np.array([1, 2], np.uint32)
KEYS = np.arange(2 * SIZE, dtype=np.uint32).reshape(SIZE, 2)


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
    actions = actor.exploit(obs, KEYS, 0)
    np.testing.assert_array_equal(actions, actor.exploit(obs, KEYS + np.uint32(1), 7))
    state, hyperparams = jax.tree.map(lambda values: values[2], (population, setting.hyperparams))
    alone = setting.work.algorithm.act(state, hyperparams, obs[2], jax.random.key(0), False)
    np.testing.assert_allclose(actions[2], alone, rtol=1e-4, atol=1e-6)


IMAGES = EnvironmentInfo((8, 8, 1), 5, None, is_discrete=True, observation_dtype="uint8")
NETWORK = {"kind": "cnn", "channels": [2], "kernels": [3], "strides": [2], "hidden": [4]}


def discrete_actor(policy, algorithm=None):
    """Four equal members that see images, which a CPU computes one after the other."""
    algorithm = algorithm or DQNSpec(name="dqn", network=NETWORK)
    numbers = {name: sum(bounds(value)) / 2 for name, value in hyperparameters(algorithm).items()}
    work = Workload(partial(build_algorithm, algorithm, IMAGES), IMAGES, SIZE, numbers, policy)
    execution = build_execution("vectorized", work)
    placed = execution.place({name: np.full(SIZE, value, np.float32) for name, value in numbers.items()})
    first = jax.tree.map(lambda leaf: np.broadcast_to(leaf[:1], leaf.shape), execution.init(KEY, placed))
    return execution.acting.actor(execution.place(first), placed)


PICTURES = np.random.default_rng(0).integers(0, 256, (SIZE, 2000, 8, 8, 1), np.uint8)


def test_epsilon_is_the_share_of_actions_that_are_replaced_by_any():
    greedy = discrete_actor(EvaluationPolicy()).exploit(PICTURES, KEYS, 3)
    actions = discrete_actor(EvaluationPolicy(epsilon=0.5)).exploit(PICTURES, KEYS, 3)
    assert actions.dtype == greedy.dtype and actions.min() >= 0 and actions.max() == 4
    # One of five random actions is the greedy one: 0.5 * 4 / 5 differ, with a deviation of 0.0055.
    assert (actions != greedy).mean() == pytest.approx(0.4, abs=0.02)


def test_a_sampled_policy_follows_its_distribution():
    ppo = PPOSpec(name="ppo", network=NETWORK)
    mode, sampled = (discrete_actor(EvaluationPolicy(is_sampled=chance), ppo) for chance in (False, True))
    assert len(np.unique(mode.exploit(PICTURES, KEYS, 3))) < 5
    # An untrained policy is nearly uniform over its five actions.
    counts = np.bincount(sampled.exploit(PICTURES, KEYS, 3).ravel(), minlength=5)
    np.testing.assert_allclose(counts / counts.sum(), 0.2, atol=0.03)


@pytest.mark.parametrize("policy", [EvaluationPolicy(epsilon=0.5), EvaluationPolicy(is_sampled=True)])
def test_chance_differs_between_members_and_steps_and_is_repeated_by_the_same_keys(policy):
    algorithm = PPOSpec(name="ppo", network=NETWORK) if policy.is_sampled else None
    pictures = np.broadcast_to(PICTURES[:1], PICTURES.shape)
    actor = discrete_actor(policy, algorithm)
    first, again, next_step = (actor.exploit(pictures, KEYS, step) for step in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != next_step).mean() > 0.1
    assert all((first[0] != other).mean() > 0.1 for other in first[1:])


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
