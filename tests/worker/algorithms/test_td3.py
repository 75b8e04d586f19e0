"""TD3 against numbers worked out apart from it, in NumPy, on a network small enough to do so."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec, TD3Spec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.actor_critic import ActorCritic, critic_loss, deterministic_policy_loss
from phylon.worker.algorithms.td3 import critic_targets, init_state, policy_step
from phylon.worker.networks import critic_ensemble, deterministic_policy

SPEC = TD3Spec(name="td3", network=MLPSpec(hidden=(8,)))
BATCH = 16


@pytest.fixture(scope="module")
def hyperparams(numbers_of):
    return lambda **changed: numbers_of(SPEC, **changed)


@pytest.fixture(scope="module")
def algorithm(info):
    return build_algorithm(SPEC, info)


@pytest.fixture(scope="module")
def update(algorithm, compiled):
    return compiled(algorithm.update)


@pytest.fixture(scope="module")
def networks(info):
    return ActorCritic(deterministic_policy(SPEC.network, info), critic_ensemble(SPEC.network, info, 2))


@pytest.fixture(scope="module")
def state(networks, compiled):
    """A state whose online and target weights differ, as they do after some training."""
    init = compiled(lambda key: init_state(networks, key))
    online, target = init(jax.random.key(0)), init(jax.random.key(1))
    return online._replace(target_policy=target.policy, target_critic=target.critic)


class TestCriticStep:
    def test_targets(self, variant, networks, state, hyperparams, make_batch, forward, critic_values):
        batch, key = make_batch(), jax.random.key(3)
        numbers = hyperparams(discount=0.9, target_noise=0.5, target_noise_clip=0.3)
        targets = variant(lambda *arguments: critic_targets(networks, *arguments))(state, numbers, batch, key)

        noise = np.clip(0.5 * np.asarray(jax.random.normal(jax.random.key(3), (BATCH, 2))), -0.3, 0.3)
        action = np.clip(np.tanh(forward(state.target_policy, batch.next_obs)) + noise, -1, 1)
        values = critic_values(state.target_critic, batch.next_obs, action).min(axis=0)
        expected = np.asarray(batch.reward) + 0.9 * (1 - np.asarray(batch.terminated)) * values
        np.testing.assert_allclose(targets, expected, rtol=1e-5, atol=1e-6)

    def test_termination_alone_stops_the_bootstrap(self, networks, state, hyperparams, make_batch):
        """A truncated transition arrives with terminated = 0 and is worth its future too."""
        batch = make_batch()
        targets = critic_targets(networks, state, hyperparams(), batch, jax.random.key(3))
        ended = np.asarray(batch.terminated) == 1
        np.testing.assert_array_equal(targets[ended], batch.reward[ended])
        assert np.all(targets[~ended] != batch.reward[~ended])

    def test_loss(self, variant, networks, state, make_batch, critic_values):
        batch, targets = make_batch(), jnp.linspace(-1, 1, BATCH)
        loss, q_value = variant(lambda *arguments: critic_loss(networks.critic, *arguments))(
            state.critic, batch, targets
        )
        values = critic_values(state.critic, batch.obs, batch.action)
        assert float(q_value) == pytest.approx(values.mean(), rel=1e-5)
        assert float(loss) == pytest.approx(np.square(values - np.asarray(targets)).sum(axis=0).mean(), rel=1e-5)

    def test_the_first_step_of_adam_moves_every_weight_by_the_learning_rate(
        self, networks, state, update, hyperparams, make_batch
    ):
        numbers, batch = hyperparams(critic_learning_rate=0.01), make_batch()
        after, _ = update(state, numbers, batch, jax.random.key(3))
        targets = critic_targets(networks, state, numbers, batch, jax.random.key(3))
        gradients = jax.grad(lambda critic: critic_loss(networks.critic, critic, batch, targets)[0])(state.critic)
        for before, now, gradient in zip(*map(jax.tree.leaves, (state.critic, after.critic, gradients)), strict=True):
            clear = np.abs(gradient) > 1e-4
            np.testing.assert_allclose((now - before)[clear], -0.01 * np.sign(gradient)[clear], rtol=1e-2)


class TestPolicyStep:
    def test_loss_is_minus_the_first_critics_value_of_current_observations(
        self, variant, networks, state, make_batch, forward, critic_values
    ):
        obs = make_batch().obs
        loss = variant(lambda *arguments: deterministic_policy_loss(networks, *arguments))(
            state.policy, state.critic, obs
        )
        action = np.tanh(forward(state.policy, obs))
        assert float(loss) == pytest.approx(-critic_values(state.critic, obs, action)[0].mean(), rel=1e-5)

    def test_only_observations_and_the_first_critic_matter(self, networks, state, hyperparams, make_batch, equal):
        batch, other = make_batch(), make_batch(seed=1)
        after = policy_step(networks, state, hyperparams(), batch).policy
        assert equal(after, policy_step(networks, state, hyperparams(), other._replace(obs=batch.obs)).policy)
        assert not equal(after, policy_step(networks, state, hyperparams(), batch._replace(obs=other.obs)).policy)

        def changed(number):
            critic = jax.tree.map(lambda leaf: leaf.at[number].add(0.5), state.critic)
            return policy_step(networks, state._replace(critic=critic), hyperparams(), batch).policy

        assert equal(after, changed(1))
        assert not equal(after, changed(0))

    def test_a_step_improves_the_policy_in_the_critics_eyes(self, networks, state, hyperparams, make_batch):
        batch = make_batch()
        after = policy_step(networks, state, hyperparams(policy_learning_rate=1e-3), batch)
        before = deterministic_policy_loss(networks, state.policy, state.critic, batch.obs)
        assert deterministic_policy_loss(networks, after.policy, state.critic, batch.obs) < before


class TestDelay:
    @pytest.mark.parametrize("delay", [1, 2, 3])
    def test_policy_and_all_targets_move_only_every_delay_steps(
        self, state, update, delay, hyperparams, make_batch, equal
    ):
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

    def test_targets_move_towards_the_new_weights_by_the_target_rate(self, state, update, hyperparams, make_batch):
        after, _ = update(state, hyperparams(policy_delay=1, target_rate=0.25), make_batch(), jax.random.key(0))
        for target in ("policy", "critic"):
            parts = getattr(state, f"target_{target}"), getattr(after, target), getattr(after, f"target_{target}")
            for old, online, new in zip(*map(jax.tree.leaves, parts), strict=True):
                np.testing.assert_allclose(new, 0.75 * old + 0.25 * online, rtol=1e-5, atol=1e-7)

    def test_the_policy_step_is_a_branch(self, algorithm, state, hyperparams, make_batch):
        """Mapped member by member, a skipped policy step costs nothing."""
        program = jax.jit(algorithm.update).lower(state, hyperparams(), make_batch(), jax.random.key(0)).compile()
        assert program.as_text().count(" conditional(") == 1

    def test_a_delay_of_another_member_is_its_own_affair(
        self, algorithm, state, hyperparams, make_batch, equal, compiled
    ):
        states = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), state)
        numbers = jax.tree.map(lambda value: jnp.stack([value, value]), hyperparams())
        numbers["policy_delay"] = jnp.array([1.0, 2.0])
        batches = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), make_batch())
        after, _ = compiled(jax.vmap(algorithm.update))(states, numbers, batches, jax.random.split(jax.random.key(0)))
        first, second = (jax.tree.map(lambda leaf, n=n: leaf[n], after.policy) for n in range(2))
        assert not equal(first, state.policy)
        assert equal(second, state.policy)

    def test_the_last_policy_loss_is_shown_in_between(self, state, update, hyperparams, make_batch):
        shown = []
        for step in range(4):
            state, metrics = update(state, hyperparams(policy_delay=2), make_batch(step), jax.random.key(step))
            shown.append(float(metrics["policy_loss"]))
        assert shown[1] == shown[2] != shown[3]


class TestAct:
    def test_without_exploration_it_is_the_policy(self, variant, algorithm, state, hyperparams, make_batch, forward):
        obs = make_batch().obs
        action = variant(lambda *arguments: algorithm.act(*arguments, explore=False))(
            state, hyperparams(exploration_noise=5.0), obs, jax.random.key(0)
        )
        np.testing.assert_allclose(action, np.tanh(forward(state.policy, obs)), rtol=1e-5, atol=1e-6)

    def test_exploration_adds_scaled_noise(self, algorithm, state, hyperparams, make_batch, forward):
        obs = make_batch().obs
        action = algorithm.act(state, hyperparams(exploration_noise=0.1), obs, jax.random.key(0), explore=True)
        noise = 0.1 * np.asarray(jax.random.normal(jax.random.key(0), (BATCH, 2)))
        np.testing.assert_allclose(
            action, np.clip(np.tanh(forward(state.policy, obs)) + noise, -1, 1), rtol=1e-5, atol=1e-6
        )

    def test_actions_are_clipped(self, algorithm, state, hyperparams, make_batch):
        action = algorithm.act(state, hyperparams(exploration_noise=9.0), make_batch().obs, jax.random.key(0), True)
        assert float(jnp.max(action)) == 1.0
        assert float(jnp.min(action)) == -1.0
