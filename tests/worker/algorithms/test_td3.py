"""TD3 against numbers worked out apart from it, in NumPy, on a network small enough to do so."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import NetworkSpec, TD3Spec, hyperparameters
from worker.algorithms import build_algorithm
from worker.algorithms.td3 import (
    TD3Networks,
    TD3State,
    critic_loss,
    critic_targets,
    init_state,
    policy_loss,
    policy_step,
)
from worker.core.types import EnvironmentInfo, Transition
from worker.networks import critic_ensemble, deterministic_policy

INFO = EnvironmentInfo(observation_shape=(3,), action_size=2, max_episode_steps=None)
SPEC = TD3Spec(name="td3", batch_size=16, network=NetworkSpec(hidden=(8,)))
NUMBERS = hyperparameters(SPEC)
BATCH = 16


def hyperparams(**changed):
    return {name: jnp.float32(value) for name, value in (NUMBERS | changed).items()}


def make_batch(seed=0):
    random = np.random.default_rng(seed)

    def normal(*shape):
        return jnp.asarray(random.normal(size=shape), jnp.float32)

    return Transition(
        obs=normal(BATCH, 3),
        action=jnp.clip(normal(BATCH, 2), -1, 1),
        reward=normal(BATCH),
        terminated=jnp.asarray(np.arange(BATCH) % 2, jnp.float32),
        next_obs=normal(BATCH, 3),
    )


@pytest.fixture(scope="module")
def algorithm():
    return build_algorithm(SPEC, INFO)


@pytest.fixture(scope="module")
def update(algorithm):
    return jax.jit(algorithm.update)


@pytest.fixture(scope="module")
def networks():
    return TD3Networks(deterministic_policy(SPEC.network, INFO), critic_ensemble(SPEC.network, INFO, 2))


@pytest.fixture(scope="module")
def state(networks):
    """A state whose online and target weights differ, as they do after some training."""
    online, target = init_state(networks, jax.random.key(0)), init_state(networks, jax.random.key(1))
    return online._replace(target_policy=target.policy, target_critic=target.critic)


def equal(left, right):
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True))


def forward(layers, values):
    """The network in NumPy: one hidden ReLU layer."""
    layers = jax.tree.map(np.asarray, layers["params"])
    hidden = np.maximum(np.asarray(values) @ layers["hidden_0"]["kernel"] + layers["hidden_0"]["bias"], 0)
    return hidden @ layers["output"]["kernel"] + layers["output"]["bias"]


def critic_value(critic, number, obs, action):
    return forward(jax.tree.map(lambda leaf: leaf[number], critic), np.concatenate([obs, action], axis=1))[:, 0]


class TestCriticStep:
    def test_targets(self, variant, networks, state):
        batch, key = make_batch(), jax.random.key(3)
        numbers = hyperparams(discount=0.9, target_noise=0.5, target_noise_clip=0.3)
        targets = variant(lambda *arguments: critic_targets(networks, *arguments))(state, numbers, batch, key)

        noise = np.clip(0.5 * np.asarray(jax.random.normal(jax.random.key(3), (BATCH, 2))), -0.3, 0.3)
        action = np.clip(np.tanh(forward(state.target_policy, batch.next_obs)) + noise, -1, 1)
        values = [critic_value(state.target_critic, number, batch.next_obs, action) for number in range(2)]
        expected = np.asarray(batch.reward) + 0.9 * (1 - np.asarray(batch.terminated)) * np.minimum(*values)
        np.testing.assert_allclose(targets, expected, rtol=1e-5, atol=1e-6)

    def test_termination_alone_stops_the_bootstrap(self, networks, state):
        """A truncated transition arrives with terminated = 0 and is worth its future too."""
        batch = make_batch()
        targets = critic_targets(networks, state, hyperparams(), batch, jax.random.key(3))
        ended = np.asarray(batch.terminated) == 1
        np.testing.assert_array_equal(targets[ended], batch.reward[ended])
        assert np.all(targets[~ended] != batch.reward[~ended])

    def test_loss(self, variant, networks, state):
        batch, targets = make_batch(), jnp.linspace(-1, 1, BATCH)
        loss, q_value = variant(lambda *arguments: critic_loss(networks, *arguments))(state.critic, batch, targets)
        values = np.stack([critic_value(state.critic, number, batch.obs, batch.action) for number in range(2)])
        assert float(q_value) == pytest.approx(values.mean(), rel=1e-5)
        assert float(loss) == pytest.approx(np.square(values - np.asarray(targets)).sum(axis=0).mean(), rel=1e-5)

    def test_the_first_step_of_adam_moves_every_weight_by_the_learning_rate(self, networks, state, update):
        numbers, batch = hyperparams(critic_learning_rate=0.01), make_batch()
        after, _ = update(state, numbers, batch, jax.random.key(3))
        targets = critic_targets(networks, state, numbers, batch, jax.random.key(3))
        gradients = jax.grad(lambda critic: critic_loss(networks, critic, batch, targets)[0])(state.critic)
        for before, now, gradient in zip(*map(jax.tree.leaves, (state.critic, after.critic, gradients)), strict=True):
            clear = np.abs(gradient) > 1e-4
            np.testing.assert_allclose((now - before)[clear], -0.01 * np.sign(gradient)[clear], rtol=1e-2)


class TestPolicyStep:
    def test_loss_is_minus_the_first_critics_value_of_current_observations(self, variant, networks, state):
        obs = make_batch().obs
        loss = variant(lambda *arguments: policy_loss(networks, *arguments))(state.policy, state.critic, obs)
        action = np.tanh(forward(state.policy, obs))
        assert float(loss) == pytest.approx(-critic_value(state.critic, 0, obs, action).mean(), rel=1e-5)

    def test_only_observations_and_the_first_critic_matter(self, networks, state):
        batch, other = make_batch(), make_batch(seed=1)
        after = policy_step(networks, state, hyperparams(), batch).policy
        assert equal(after, policy_step(networks, state, hyperparams(), other._replace(obs=batch.obs)).policy)
        assert not equal(after, policy_step(networks, state, hyperparams(), batch._replace(obs=other.obs)).policy)

        def changed(number):
            critic = jax.tree.map(lambda leaf: leaf.at[number].add(0.5), state.critic)
            return policy_step(networks, state._replace(critic=critic), hyperparams(), batch).policy

        assert equal(after, changed(1))
        assert not equal(after, changed(0))

    def test_a_step_improves_the_policy_in_the_critics_eyes(self, networks, state):
        batch = make_batch()
        after = policy_step(networks, state, hyperparams(policy_learning_rate=1e-3), batch)
        before = policy_loss(networks, state.policy, state.critic, batch.obs)
        assert policy_loss(networks, after.policy, state.critic, batch.obs) < before


class TestDelay:
    @pytest.mark.parametrize("delay", [1, 2, 3])
    def test_policy_and_all_targets_move_only_every_delay_steps(self, state, update, delay):
        states = [state]
        for step in range(6):
            states.append(
                update(states[-1], hyperparams(policy_delay=delay), make_batch(step), jax.random.key(step))[0]
            )
        for number, (before, after) in enumerate(pairwise(states), start=1):
            moves = number % delay == 0
            for part in ("policy", "target_policy", "target_critic", "policy_optimiser"):
                assert equal(getattr(before, part), getattr(after, part)) != moves, f"{part} at step {number}"
            assert not equal(before.critic, after.critic)

    def test_targets_move_towards_the_new_weights_by_the_target_rate(self, state, update):
        after, _ = update(state, hyperparams(policy_delay=1, target_rate=0.25), make_batch(), jax.random.key(0))
        for target in ("policy", "critic"):
            parts = getattr(state, f"target_{target}"), getattr(after, target), getattr(after, f"target_{target}")
            for old, online, new in zip(*map(jax.tree.leaves, parts), strict=True):
                np.testing.assert_allclose(new, 0.75 * old + 0.25 * online, rtol=1e-5, atol=1e-7)

    def test_the_policy_step_is_a_branch(self, algorithm, state):
        """Mapped member by member, a skipped policy step costs nothing."""
        program = jax.make_jaxpr(algorithm.update)(state, hyperparams(), make_batch(), jax.random.key(0))
        assert [equation.primitive.name for equation in program.eqns].count("cond") == 1

    def test_a_delay_of_another_member_is_its_own_affair(self, algorithm, state):
        states = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), state)
        numbers = jax.tree.map(lambda value: jnp.stack([value, value]), hyperparams())
        numbers["policy_delay"] = jnp.array([1.0, 2.0])
        batches = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), make_batch())
        after, _ = jax.jit(jax.vmap(algorithm.update))(states, numbers, batches, jax.random.split(jax.random.key(0)))
        first, second = (jax.tree.map(lambda leaf, n=n: leaf[n], after.policy) for n in range(2))
        assert not equal(first, state.policy)
        assert equal(second, state.policy)

    def test_the_last_policy_loss_is_shown_in_between(self, state, update):
        shown = []
        for step in range(4):
            state, metrics = update(state, hyperparams(policy_delay=2), make_batch(step), jax.random.key(step))
            shown.append(float(metrics["policy_loss"]))
        assert shown[1] == shown[2] != shown[3]


class TestAct:
    def test_without_exploration_it_is_the_policy(self, variant, algorithm, state):
        obs = make_batch().obs
        action = variant(lambda *arguments: algorithm.act(*arguments, explore=False))(
            state, hyperparams(exploration_noise=5.0), obs, jax.random.key(0)
        )
        np.testing.assert_allclose(action, np.tanh(forward(state.policy, obs)), rtol=1e-5, atol=1e-6)

    def test_exploration_adds_scaled_noise(self, algorithm, state):
        obs = make_batch().obs
        action = algorithm.act(state, hyperparams(exploration_noise=0.1), obs, jax.random.key(0), explore=True)
        noise = 0.1 * np.asarray(jax.random.normal(jax.random.key(0), (BATCH, 2)))
        np.testing.assert_allclose(
            action, np.clip(np.tanh(forward(state.policy, obs)) + noise, -1, 1), rtol=1e-5, atol=1e-6
        )

    def test_actions_are_clipped(self, algorithm, state):
        action = algorithm.act(state, hyperparams(exploration_noise=9.0), make_batch().obs, jax.random.key(0), True)
        assert float(jnp.max(action)) == 1.0
        assert float(jnp.min(action)) == -1.0


def three_updates(update, numbers) -> TD3State:
    algorithm = build_algorithm(SPEC, INFO)
    state = algorithm.init(jax.random.key(0), numbers)
    for step in range(3):
        state, _ = update(state, numbers, make_batch(step), jax.random.key(step))
    return state


@pytest.mark.parametrize("name", NUMBERS)
def test_every_hyperparameter_is_alive(algorithm, update, name):
    def behaviour(numbers):
        state = three_updates(update, numbers)
        return state, algorithm.act(state, numbers, make_batch().obs, jax.random.key(0), explore=True)

    usual, changed = behaviour(hyperparams()), behaviour(hyperparams(**{name: float(NUMBERS[name]) * 0.5}))
    assert not equal(usual, changed), f"{name} is never read"


def test_the_same_numbers_give_the_same_state(update):
    assert equal(three_updates(update, hyperparams()), three_updates(update, hyperparams()))


def test_a_changed_number_does_not_recompile(algorithm):
    traces = {"init": 0, "act": 0, "update": 0}

    def counted(name, function):
        def call(*arguments):
            traces[name] += 1
            return function(*arguments)

        return jax.jit(call, static_argnums=4 if name == "act" else ())

    init, act, update = (counted(name, getattr(algorithm, name)) for name in traces)
    for factor in (1.0, 0.5, 2.0):
        numbers = hyperparams(**{name: float(value) * factor for name, value in NUMBERS.items()})
        state = init(jax.random.key(0), numbers)
        state, _ = update(state, numbers, make_batch(), jax.random.key(1))
        act(state, numbers, make_batch().obs, jax.random.key(2), True)
    assert traces == {"init": 1, "act": 1, "update": 1}


@pytest.mark.parametrize("critics", [1, 2, 4])
def test_any_number_of_critics_trains(critics):
    algorithm = build_algorithm(SPEC.model_copy(update={"critics": critics}), INFO)
    state = algorithm.init(jax.random.key(0), hyperparams())
    state, metrics = jax.jit(algorithm.update)(state, hyperparams(policy_delay=1), make_batch(), jax.random.key(1))
    assert set(metrics) == {"critic_loss", "policy_loss", "q_value"}
    assert all(np.isfinite(value) and value.shape == () for value in metrics.values())
    assert all(leaf.shape[0] == critics for leaf in jax.tree.leaves(state.critic))


def test_a_fresh_member_has_targets_equal_to_its_networks(algorithm):
    state = algorithm.init(jax.random.key(0), hyperparams())
    assert equal(state.policy, state.target_policy)
    assert equal(state.critic, state.target_critic)
    assert not equal(state.policy, algorithm.init(jax.random.key(1), hyperparams()).policy)
