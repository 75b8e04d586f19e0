"""Collecting and evaluating in one program does what doing it step by step does."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec, hyperparameters, parse_spec
from phylon.spec.algorithms.ppo import PPOSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.jax_environment import JaxEnvironment, JaxPool, JaxStep
from phylon.worker.execution import Workload, build_execution
from phylon.worker.execution.interface import WITHOUT_CHANCE, EvaluationPolicy
from phylon.worker.training.collect import FixedActions, HostCollector, PolicyActions
from phylon.worker.training.collect_on_device import DeviceCollector
from phylon.worker.training.evaluate import HostEvaluator
from phylon.worker.training.evaluate_on_device import DeviceEvaluator
from phylon.worker.training.experience import make_experience
from phylon.worker.training.randomness import episodes_at_step
from phylon.worker.training.stopwatch import Stopwatch

SIZE, ENVS, LIMIT, CALLS = 4, 2, 3, 11
INFO = EnvironmentInfo((2,), 1, LIMIT, envs_per_member=ENVS)
SPEC = PPOSpec(name="ppo", network=MLPSpec(hidden=(4,)))
KEY = np.array([1, 2], np.uint32)


class World:
    """Episodes would end after one to five steps, but three are the limit. Rewards distinguish starts and actions."""

    def __init__(self):
        self.traces = 0
        self.environment = JaxEnvironment(INFO, self.reset, self.step)

    def reset(self, key):
        state = jnp.stack([jax.random.uniform(key), 0.0])
        return state, state

    def step(self, state, action, key):
        self.traces += 1
        state = state.at[1].add(1.0)
        reward = state[0] + jnp.clip(action[0], -1, 1) + 0.1 * jax.random.uniform(key)
        return JaxStep(state, state, reward, state[1] >= 5 * state[0], state[1] >= LIMIT)

    def pool(self, count):
        return JaxPool(self.environment, count)


def make_execution(policy=WITHOUT_CHANCE, size=SIZE):
    """On two devices; `test_matrix` trains on one as well."""
    work = Workload(partial(build_algorithm, SPEC, INFO), INFO, size, hyperparameters(SPEC), policy)
    return build_execution("sharded", work)


@pytest.fixture(scope="module")
def execution():
    return make_execution()


@pytest.fixture(scope="module")
def actor(execution):
    return make_actor(execution)


def make_actor(execution, size=SIZE):
    placed = execution.place({name: np.ones(size, np.float32) for name in hyperparameters(SPEC)})
    return execution.acting.actor(execution.init(KEY, placed), placed)


def collectors(execution, world, seed=0):
    pools = world.pool(SIZE * ENVS), world.pool(SIZE * ENVS)
    return HostCollector(pools[0], SIZE, seed), DeviceCollector(pools[1], SIZE, seed, execution)


def segments(execution, actor):
    """What members do: by their policies, at random, and by their policies again."""
    actions = np.random.default_rng(0).uniform(-1, 1, (CALLS, SIZE, ENVS, 1)).astype(np.float32)
    explored = [PolicyActions(actor, execution.acting.keys(KEY, number, CALLS)) for number in range(2)]
    return explored[0], FixedActions(actions), explored[1]


def test_one_program_gathers_what_single_steps_gather(execution, actor):
    by_step, at_once = collectors(execution, World())
    for checkpoint in (0, 7):
        for collector in (by_step, at_once):
            collector.restart(checkpoint)
        for behaviour in segments(execution, actor):
            expected, found = (collector.collect(behaviour, Stopwatch()) for collector in (by_step, at_once))
            assert found.transitions.reward.shape == (SIZE, CALLS, ENVS)
            for name, field, wanted in zip(
                [*expected.transitions._fields, "truncated"],
                jax.tree.leaves(found),
                jax.tree.leaves(expected),
                strict=True,
            ):
                assert field.dtype == wanted.dtype
                np.testing.assert_allclose(field, wanted, rtol=1e-5, atol=1e-6, err_msg=name)
            np.testing.assert_allclose(at_once.episodes.returns(), by_step.episodes.returns(), rtol=1e-6)


def test_devices_need_not_divide_the_members():
    """Three on two devices: what is collected and evaluated is that of three, and goes on to where they learn."""
    size, count = 3, 5
    execution, world = make_execution(size=size), World()
    actor = make_actor(execution, size)
    assert len(execution.devices) == 2
    by_step = HostCollector(world.pool(size * ENVS), size, 0)
    at_once = DeviceCollector(world.pool(size * ENVS), size, 0, execution)
    behaviour = PolicyActions(actor, execution.acting.keys(KEY, 0, CALLS))
    for collector in (by_step, at_once):
        collector.restart(0)
    for _ in range(2):
        expected, found = (collector.collect(behaviour, Stopwatch()) for collector in (by_step, at_once))
        jax.tree.map(lambda new, old: np.testing.assert_allclose(new, old, rtol=1e-5, atol=1e-6), found, expected)
    split = execution.place_batches(found)
    assert {len(shard.data) for shard in split.transitions.obs.addressable_shards} == {2}
    np.testing.assert_array_equal(split.transitions.obs, found.transitions.obs[np.array([0, 1, 2, 2])])
    evaluator, episodes = (
        DeviceEvaluator(world.pool(size * count), size, execution),
        episodes_at_step(3, 9, size, count),
    )
    expected = HostEvaluator(world.pool(size * count), size).evaluate(actor, episodes)
    np.testing.assert_allclose(evaluator.evaluate(actor, episodes).returns, expected.returns, rtol=1e-5)


def test_what_is_cut_keeps_its_true_successor(execution, actor):
    _, collector = collectors(execution, World())
    collector.restart(0)
    rollout = jax.device_get(collector.collect(segments(execution, actor)[0], Stopwatch()))
    obs, next_obs = rollout.transitions.obs, rollout.transitions.next_obs
    np.testing.assert_array_equal(next_obs, obs + np.array([0, 1], np.float32))
    terminated = next_obs[..., 1] >= 5 * obs[..., 0]
    np.testing.assert_array_equal(rollout.transitions.terminated, terminated)
    np.testing.assert_array_equal(rollout.truncated, next_obs[..., 1] >= LIMIT)
    ended = (rollout.transitions.terminated + rollout.truncated)[:, :-1] > 0
    np.testing.assert_array_equal(obs[:, 1:, :, 1] == 0, ended)  # a new episode begins where one ended, only there
    assert (terminated & (rollout.truncated == 0)).any()
    assert (~terminated & (rollout.truncated == 1)).any()


def test_the_rollout_lies_where_members_learn(execution, actor):
    _, collector = collectors(execution, World())
    collector.restart(0)
    rollout = collector.collect(segments(execution, actor)[0], Stopwatch())
    placed = execution.place_batches(rollout)
    for field, where in zip(jax.tree.leaves(rollout), jax.tree.leaves(placed), strict=True):
        assert field.sharding.is_equivalent_to(where.sharding, field.ndim)


def test_a_replay_takes_it_to_the_host(execution, actor, small_spec):
    draws = []
    for collector in collectors(execution, World()):
        collector.restart(0)
        experience = make_experience(parse_spec(small_spec), INFO, 0, SIZE)
        experience.add(collector.collect(segments(execution, actor)[1], Stopwatch()))
        draws.append(next(experience.draw(0)))
    for expected, found in zip(*draws, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_nothing_is_compiled_after_the_first_segment(execution, actor):
    world = World()
    _, collector = collectors(execution, world)
    evaluator = DeviceEvaluator(world.pool(SIZE * 3), SIZE, execution)
    traces = []
    for checkpoint in range(3):
        collector.restart(checkpoint)
        for behaviour in segments(execution, actor):
            collector.collect(behaviour, Stopwatch())
        evaluator.evaluate(actor, episodes_at_step(0, checkpoint, SIZE, 3))
        traces.append(world.traces)
    assert traces[0] > 0
    assert traces == [traces[0]] * 3


@pytest.mark.parametrize("policy", [WITHOUT_CHANCE, EvaluationPolicy(is_sampled=True)])
def test_one_program_evaluates_as_single_steps_do(policy):
    execution = make_execution(policy)
    actor, world, count = make_actor(execution), World(), 5
    pools = world.pool(SIZE * count), world.pool(SIZE * count)
    evaluator = DeviceEvaluator(pools[1], SIZE, execution)
    episodes = episodes_at_step(3, 100, SIZE, count)
    expected, found = HostEvaluator(pools[0], SIZE).evaluate(actor, episodes), evaluator.evaluate(actor, episodes)
    np.testing.assert_array_equal(found.lengths, expected.lengths)
    assert len(np.unique(found.lengths)) > 1
    np.testing.assert_allclose(found.returns, expected.returns, rtol=1e-5)
    np.testing.assert_array_equal(evaluator.evaluate(actor, episodes).returns, found.returns)
    other = evaluator.evaluate_unseen(actor, episodes_at_step(3, 200, SIZE, count))
    assert (other.returns != found.returns).all()
    by_chance = evaluator.evaluate(actor, episodes._replace(keys=episodes.keys + np.uint32(1)))
    assert (by_chance.returns != found.returns).any() == policy.is_sampled
    assert found.returns.dtype == expected.returns.dtype
