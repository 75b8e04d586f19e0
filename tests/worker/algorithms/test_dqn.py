"""DQN against numbers worked out apart from it, in NumPy."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec, hyperparameters
from phylon.spec.algorithms.convolutions import CNNSpec
from phylon.spec.algorithms.dqn import DQNSpec
from phylon.spec.resets import ResetsSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.dqn import critic_loss, critic_targets, epsilon, init_state
from phylon.worker.algorithms.resets import reset
from phylon.worker.core.types import EnvironmentInfo, Transition
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.networks import action_values

ACTIONS, BATCH = 3, 16
INFO = EnvironmentInfo(observation_shape=(2,), action_size=ACTIONS, max_episode_steps=None, is_discrete=True)
COMPILED = {"compiler_options": fast_compile_options()}
SPEC = DQNSpec(name="dqn", network=MLPSpec(hidden=(8,)), target_period=2, target_rate=0.5, epsilon_decay=100)


def make_batch(seed=0):
    random = np.random.default_rng(seed)

    def normal(*shape):
        return jnp.asarray(random.normal(size=shape), jnp.float32)

    return Transition(
        obs=normal(BATCH, 2),
        action=jnp.asarray(random.integers(0, ACTIONS, BATCH), jnp.int32),
        reward=3 * normal(BATCH),
        terminated=jnp.asarray(np.arange(BATCH) % 2, jnp.float32),
        next_obs=normal(BATCH, 2),
    )


@pytest.fixture(scope="module")
def network():
    return action_values(SPEC.network, INFO, SPEC.dueling)


@pytest.fixture(scope="module")
def algorithm():
    return build_algorithm(SPEC, INFO)


@pytest.fixture(scope="module")
def update(algorithm):
    return jax.jit(algorithm.update, **COMPILED)


@pytest.fixture(scope="module")
def state(network):
    """A state whose online and target weights differ, as they do after some training."""
    start = jax.jit(lambda key: init_state(network, key), **COMPILED)
    return start(jax.random.key(0))._replace(target_critic=start(jax.random.key(1)).critic)


@pytest.fixture(scope="module")
def values(forward):
    """(critic, obs) -> [batch, actions], in NumPy."""
    return lambda critic, obs: forward(critic["layers"], obs)


class TestTargets:
    @pytest.mark.parametrize("double", [False, True])
    def test_by_hand(self, variant, network, state, values, numbers_of, double):
        batch, numbers = make_batch(), numbers_of(SPEC, discount=0.9)
        found = variant(lambda *arguments: critic_targets(network, *arguments, double))(state, numbers, batch)
        target = values(state.target_critic, batch.next_obs)
        chosen = np.argmax(values(state.critic, batch.next_obs) if double else target, axis=1)
        future = target[np.arange(BATCH), chosen]
        expected = np.asarray(batch.reward) + 0.9 * (1 - np.asarray(batch.terminated)) * future
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)

    @pytest.mark.parametrize("double", [False, True])
    def test_termination_alone_stops_the_bootstrap(self, network, state, numbers_of, double):
        """A truncated transition arrives with terminated = 0 and is worth its future too."""
        batch = make_batch()
        targets = critic_targets(network, state, numbers_of(SPEC), batch, double)
        ended = np.asarray(batch.terminated) == 1
        np.testing.assert_array_equal(targets[ended], batch.reward[ended])
        assert np.all(targets[~ended] != batch.reward[~ended])

    def test_the_two_kinds_differ(self, network, state, numbers_of):
        """They do not, where the online network prefers what the target network does."""
        plain, double = (critic_targets(network, state, numbers_of(SPEC), make_batch(), kind) for kind in (False, True))
        assert np.all(np.asarray(double) <= np.asarray(plain))
        assert np.any(np.asarray(double) < np.asarray(plain))


class TestLoss:
    def test_huber_of_the_taken_actions(self, variant, network, state, values):
        batch, targets = make_batch(), jnp.linspace(-4, 4, BATCH)
        loss, q_value = variant(lambda *arguments: critic_loss(network, *arguments))(
            state.critic, batch, targets, jnp.float32(1.5)
        )
        taken = values(state.critic, batch.obs)[np.arange(BATCH), np.asarray(batch.action)]
        error = np.abs(taken - np.asarray(targets))
        expected = np.where(error <= 1.5, 0.5 * error**2, 1.5 * (error - 0.75))
        assert {True, False} == set((error <= 1.5).tolist())
        assert float(loss) == pytest.approx(expected.mean(), rel=1e-5)
        assert float(q_value) == pytest.approx(taken.mean(), rel=1e-5)

    def test_the_first_step_of_adam_moves_every_weight_by_the_learning_rate(self, network, state, update, numbers_of):
        numbers, batch = numbers_of(SPEC, learning_rate=0.01), make_batch()
        after, _ = update(state, numbers, batch, jax.random.key(0))
        targets = critic_targets(network, state, numbers, batch, SPEC.double)
        gradients = jax.jit(jax.grad(lambda critic: critic_loss(network, critic, batch, targets, jnp.float32(1))[0]))(
            state.critic
        )
        for before, now, gradient in zip(*map(jax.tree.leaves, (state.critic, after.critic, gradients)), strict=True):
            clear = np.abs(gradient) > 1e-4
            np.testing.assert_allclose((now - before)[clear], -0.01 * np.sign(gradient)[clear], rtol=1e-2)


class TestTarget:
    @pytest.mark.parametrize("period", [1, 2, 3])
    def test_it_moves_every_period(self, state, update, numbers_of, equal, period):
        states = [state]
        for step in range(6):
            numbers = numbers_of(SPEC, target_period=period)
            states.append(update(states[-1], numbers, make_batch(step), jax.random.key(step))[0])
        for number, (before, after) in enumerate(pairwise(states), start=1):
            assert equal(before.target_critic, after.target_critic) != (number % period == 0), f"update {number}"
            assert not equal(before.critic, after.critic)

    def test_a_rate_of_one_is_a_copy(self, state, update, numbers_of, equal):
        after, _ = update(state, numbers_of(SPEC, target_period=1, target_rate=1), make_batch(), jax.random.key(0))
        assert equal(after.target_critic, after.critic)

    def test_a_smaller_rate_mixes(self, state, update, numbers_of):
        after, _ = update(state, numbers_of(SPEC, target_period=1, target_rate=0.25), make_batch(), jax.random.key(0))
        leaves = map(jax.tree.leaves, (state.target_critic, after.critic, after.target_critic))
        for old, online, new in zip(*leaves, strict=True):
            np.testing.assert_allclose(new, 0.75 * old + 0.25 * online, rtol=1e-5, atol=1e-7)

    def test_a_period_of_another_member_is_its_own_affair(self, algorithm, state, numbers_of, equal):
        states, batches = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), (state, make_batch()))
        numbers = jax.tree.map(lambda value: jnp.stack([value, value]), numbers_of(SPEC))
        numbers["target_period"] = jnp.array([1.0, 2.0])
        after, _ = jax.jit(jax.vmap(algorithm.update), **COMPILED)(
            states, numbers, batches, jax.random.split(jax.random.key(0))
        )
        first, second = (jax.tree.map(lambda leaf, n=n: leaf[n], after.target_critic) for n in range(2))
        assert not equal(first, state.target_critic)
        assert equal(second, state.target_critic)


class TestExploration:
    @pytest.mark.parametrize(("updates", "expected"), [(0, 0.8), (50, 0.5), (100, 0.2), (1000, 0.2)])
    def test_epsilon_follows_the_members_own_updates(self, state, numbers_of, updates, expected):
        numbers = numbers_of(SPEC, initial_epsilon=0.8, final_epsilon=0.2, epsilon_decay=100)
        assert epsilon(state._replace(updates=jnp.int32(updates)), numbers) == pytest.approx(expected)

    def test_updates_are_counted(self, state, update, numbers_of):
        numbers, shares = numbers_of(SPEC, initial_epsilon=1, final_epsilon=0, epsilon_decay=4), []
        for step in range(6):
            state, metrics = update(state, numbers, make_batch(step), jax.random.key(step))
            shares.append(float(metrics["epsilon"]))
        assert shares == pytest.approx([1, 0.75, 0.5, 0.25, 0, 0])
        assert int(state.updates) == 6

    def test_without_it_the_best_action_is_taken(self, variant, algorithm, state, values, numbers_of):
        obs = make_batch().obs
        action = variant(lambda *arguments: algorithm.act(*arguments, explore=False))(
            state, numbers_of(SPEC, final_epsilon=1), obs, jax.random.key(0)
        )
        assert action.tolist() == np.argmax(values(state.critic, obs), axis=1).tolist()
        assert action.dtype == jnp.int32

    def test_a_share_of_epsilon_is_uniform(self, algorithm, state, values, numbers_of):
        obs = jnp.tile(make_batch().obs[:1], (20_000, 1))
        numbers = numbers_of(SPEC, initial_epsilon=0.6)
        action = np.asarray(algorithm.act(state, numbers, obs, jax.random.key(0), explore=True))
        best = np.argmax(values(state.critic, obs[:1]))
        shares = np.bincount(action, minlength=ACTIONS) / len(obs)
        np.testing.assert_allclose(shares, np.where(np.arange(ACTIONS) == best, 0.4 + 0.2, 0.2), atol=0.015)


def test_every_hyperparameter_is_alive_and_none_recompiles(algorithm, numbers_of, equal):
    traces = {"init": 0, "act": 0, "update": 0}

    def counted(name):
        def call(*arguments):
            traces[name] += 1
            return getattr(algorithm, name)(*arguments)

        return jax.jit(call, static_argnums=4 if name == "act" else (), **COMPILED)

    init, act, update = map(counted, traces)

    def behaviour(numbers):
        state = init(jax.random.key(0), numbers)
        for step in range(3):
            state, metrics = update(state, numbers, make_batch(step), jax.random.key(step))
        action = act(state, numbers, jnp.tile(make_batch().obs, (8, 1)), jax.random.key(0), True)
        return (state, action), metrics["epsilon"]

    usual, _ = behaviour(numbers_of(SPEC))
    for name, value in hyperparameters(SPEC).items():
        changed, share = behaviour(numbers_of(SPEC, **{name: value * 0.5}))
        if name in ("final_epsilon", "epsilon_decay"):  # three updates hardly change which actions are random
            assert float(share) != float(behaviour(numbers_of(SPEC))[1]), f"{name} is never read"
        else:
            assert not equal(usual, changed), f"{name} is never read"
    assert equal(usual, behaviour(numbers_of(SPEC))[0]), "the same numbers gave another state"
    assert traces == {"init": 1, "act": 1, "update": 1}


@pytest.mark.parametrize(("dueling", "double"), [(False, True), (True, False)])
def test_any_structure_trains_on_images_as_bytes(dueling, double, numbers_of):
    info = EnvironmentInfo((12, 12, 4), ACTIONS, None, is_discrete=True, observation_dtype="uint8")
    network = CNNSpec(kind="cnn", channels=(4, 4), kernels=(4, 3), strides=(2, 1), hidden=(8,))
    spec = DQNSpec(name="dqn", network=network, dueling=dueling, double=double)
    algorithm, numbers = build_algorithm(spec, info), numbers_of(spec)
    images = np.random.default_rng(0).integers(0, 256, (2, BATCH, 12, 12, 4), np.uint8)
    batch = make_batch()._replace(obs=images[0], next_obs=images[1])
    state = jax.jit(algorithm.init, **COMPILED)(jax.random.key(0), numbers)
    after, metrics = jax.jit(algorithm.update, **COMPILED)(state, numbers, batch, jax.random.key(1))
    assert set(metrics) == {"critic_loss", "q_value", "epsilon"}
    assert all(np.isfinite(value) and value.shape == () for value in metrics.values())
    for before, now in zip(jax.tree.leaves(state.critic), jax.tree.leaves(after.critic), strict=True):
        assert not np.array_equal(before, now)
    assert algorithm.act(after, numbers, images[0], jax.random.key(2), False).shape == (BATCH,)


def test_a_fresh_member_has_a_target_equal_to_its_network(algorithm, numbers_of, equal):
    init = jax.jit(algorithm.init, **COMPILED)
    one, other = (init(jax.random.key(seed), numbers_of(SPEC)) for seed in range(2))
    assert equal(one.critic, one.target_critic)
    assert not equal(one.critic, other.critic)
    assert algorithm.learns_from == "replay"


def test_a_reset_renews_network_and_target_but_not_the_schedule(algorithm, update, numbers_of, equal):
    numbers = numbers_of(SPEC)
    state, _ = update(algorithm.init(jax.random.key(0), numbers), numbers, make_batch(), jax.random.key(1))
    after = reset(algorithm, ResetsSpec(interval=1, first=1, recovery=0), jax.random.key(2), numbers, state)
    assert not equal(after.critic, state.critic)
    assert equal(after.target_critic, after.critic)
    assert int(after.updates) == int(state.updates) == 1
