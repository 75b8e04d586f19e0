"""SAC against numbers worked out apart from it, in NumPy and SciPy, on a network small enough to do so."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from phylon.spec import MLPSpec, SACSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.sac import (
    SACNetworks,
    critic_step,
    critic_targets,
    init_state,
    policy_loss,
    policy_step,
    target_step,
    temperature_step,
)
from phylon.worker.networks import critic_ensemble, tanh_normal_policy

SPEC = SACSpec(name="sac", network=MLPSpec(hidden=(8,)))
FIXED = SACSpec(name="sac", network=MLPSpec(hidden=(8,)), temperature="fixed")
BATCH, ACTION = 16, 2


@pytest.fixture(scope="module")
def hyperparams(numbers_of):
    return lambda **changed: numbers_of(SPEC, **changed)


@pytest.fixture(scope="module")
def update(info, compiled):
    return compiled(build_algorithm(SPEC, info).update)


@pytest.fixture(scope="module")
def networks(info):
    return SACNetworks(tanh_normal_policy(SPEC.network, info), critic_ensemble(SPEC.network, info, 2))


@pytest.fixture(scope="module")
def state(networks, compiled):
    """A state whose online and target weights differ, as they do after some training; the temperature is 0.3."""
    init = compiled(lambda key: init_state(networks, key, jnp.log(0.3)))
    return init(jax.random.key(0))._replace(target_critic=init(jax.random.key(1)).critic)


@pytest.fixture(scope="module")
def draw(forward):
    """(policy, obs, key) -> actions and their log-densities, in NumPy and SciPy."""

    def run(policy, obs, key):
        mean = forward(policy, obs, "output_mean").astype(np.float64)
        deviation = np.exp(-4 + 6 * np.tanh(forward(policy, obs, "output_log_std"))).astype(np.float64)
        raw = mean + deviation * np.asarray(jax.random.normal(key, mean.shape))
        log_prob = stats.norm.logpdf(raw, mean, deviation) - np.log(1 - np.tanh(raw) ** 2)
        return np.tanh(raw), log_prob.sum(axis=1)

    return run


class TestCriticStep:
    @pytest.mark.parametrize("is_adaptive", [True, False])
    def test_targets(self, variant, networks, state, hyperparams, make_batch, draw, critic_values, is_adaptive):
        """The temperature is the learned one, 0.3, or where it is fixed the hyper-parameter, 0.7."""
        batch = make_batch()
        numbers = hyperparams(discount=0.9, reward_scale=2.0, initial_temperature=0.7)
        state = state if is_adaptive else state._replace(log_temperature=None)
        targets = variant(lambda *arguments: critic_targets(networks, *arguments))(
            state, numbers, batch, jax.random.key(3)
        )

        action, log_prob = draw(state.policy, batch.next_obs, jax.random.key(3))
        value = critic_values(state.target_critic, batch.next_obs, action).min(axis=0)
        value -= (0.3 if is_adaptive else 0.7) * log_prob
        expected = 2 * np.asarray(batch.reward) + 0.9 * (1 - np.asarray(batch.terminated)) * value
        np.testing.assert_allclose(targets, expected, rtol=1e-4, atol=1e-5)

    def test_termination_alone_stops_the_bootstrap(self, networks, state, hyperparams, make_batch):
        batch = make_batch()
        targets = critic_targets(networks, state, hyperparams(), batch, jax.random.key(3))
        ended = np.asarray(batch.terminated) == 1
        np.testing.assert_array_equal(targets[ended], batch.reward[ended])
        assert np.all(targets[~ended] != batch.reward[~ended])


class TestPolicyStep:
    def test_loss_and_entropy(self, variant, networks, state, make_batch, draw, critic_values):
        obs = make_batch().obs
        loss, entropy = variant(lambda *arguments: policy_loss(networks, *arguments))(
            state.policy, state.critic, obs, jnp.float32(0.3), jax.random.key(4)
        )
        action, log_prob = draw(state.policy, obs, jax.random.key(4))
        expected = 0.3 * log_prob - critic_values(state.critic, obs, action).min(axis=0)
        assert float(loss) == pytest.approx(expected.mean(), rel=1e-4)
        assert float(entropy) == pytest.approx(-log_prob.mean(), rel=1e-4)

    def test_gradient_is_the_slope_of_the_loss(self, networks, state, make_batch, compiled):
        """Through the sampled action and through its density, against finite differences."""
        obs, shift = make_batch().obs, 1e-2

        def loss(change):
            moved = jax.tree.map(lambda leaf: leaf + change, state.policy)
            return policy_loss(networks, moved, state.critic, obs, jnp.float32(0.3), jax.random.key(4))[0]

        both = compiled(jax.value_and_grad(loss))
        slope = (both(shift)[0] - both(-shift)[0]) / (2 * shift)
        assert float(both(0.0)[1]) == pytest.approx(float(slope), rel=0.02)

    def test_a_high_temperature_raises_the_entropy(self, networks, state, hyperparams, make_batch, compiled):
        """And a low one lets the policy follow the critics."""
        batch, entropies = make_batch(), []
        step_by = compiled(lambda *arguments: policy_step(networks, *arguments))
        for temperature in (10.0, 1e-6):
            now = state._replace(log_temperature=jnp.log(temperature))
            for step in range(20):
                now, metrics = step_by(now, hyperparams(policy_learning_rate=0.01), batch, jax.random.key(step))
            entropies.append(float(metrics["entropy"]))
        assert entropies[0] > entropies[1] + 0.1


class TestTemperatureStep:
    @pytest.mark.parametrize(("entropy", "direction"), [(-0.9, -1), (-1.1, 1)])
    def test_it_rises_while_entropy_is_below_target(self, variant, state, hyperparams, entropy, direction):
        """The target is -0.5 for each of two dimensions: -1. Adam's first step is the learning rate."""
        numbers = hyperparams(target_entropy_scale=0.5, temperature_learning_rate=0.01)
        after = variant(lambda state: temperature_step(state, numbers, jnp.float32(entropy), ACTION))(state)
        assert float(after.log_temperature) == pytest.approx(np.log(0.3) + direction * 0.01, rel=1e-4)

    def test_it_starts_where_the_hyperparameter_says(self, info, hyperparams, compiled):
        state = compiled(build_algorithm(SPEC, info).init)(jax.random.key(0), hyperparams(initial_temperature=0.5))
        assert float(jnp.exp(state.log_temperature)) == pytest.approx(0.5)

    def test_a_fixed_one_is_no_part_of_the_state(self, info, hyperparams, make_batch, compiled):
        algorithm = build_algorithm(FIXED, info)
        state = compiled(algorithm.init)(jax.random.key(0), hyperparams())
        assert jax.tree.leaves((state.log_temperature, state.temperature_optimiser)) == []
        _, metrics = compiled(algorithm.update)(
            state, hyperparams(initial_temperature=0.2), make_batch(), jax.random.key(1)
        )
        assert float(metrics["temperature"]) == pytest.approx(0.2)


class TestUpdate:
    def test_order_of_the_steps(self, networks, state, update, hyperparams, make_batch, compiled):
        """The policy follows the new critics; the temperature moves last, by the entropy that the policy had."""
        batch, numbers = make_batch(), hyperparams()
        after, metrics = update(state, numbers, batch, jax.random.key(5))

        @compiled
        def in_order(state):
            target_key, policy_key = jax.random.split(jax.random.key(5))
            state, critic_metrics = critic_step(networks, state, numbers, batch, target_key)
            state, policy_metrics = policy_step(networks, target_step(state, numbers), numbers, batch, policy_key)
            return temperature_step(state, numbers, policy_metrics["entropy"], ACTION), critic_metrics | policy_metrics

        expected, expected_metrics = in_order(state)
        for name, value in {**expected_metrics, "temperature": 0.3}.items():
            assert float(metrics[name]) == pytest.approx(float(value), rel=1e-4), name
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5), after, expected)

    def test_the_targets_move_by_the_target_rate(self, state, update, hyperparams, make_batch):
        after, _ = update(state, hyperparams(target_rate=0.25), make_batch(), jax.random.key(0))
        leaves = map(jax.tree.leaves, (state.target_critic, after.critic, after.target_critic))
        for old, online, new in zip(*leaves, strict=True):
            np.testing.assert_allclose(new, 0.75 * old + 0.25 * online, rtol=1e-5, atol=1e-7)


class TestAct:
    @pytest.mark.parametrize("explore", [True, False])
    def test_explores_by_sampling_and_else_takes_the_mode(
        self, variant, info, state, hyperparams, make_batch, forward, draw, explore
    ):
        obs = make_batch().obs
        act = variant(lambda *arguments: build_algorithm(SPEC, info).act(*arguments, explore=explore))
        action = act(state, hyperparams(), obs, jax.random.key(6))
        sampled, _ = draw(state.policy, obs, jax.random.key(6))
        mode = np.tanh(forward(state.policy, obs, "output_mean"))
        np.testing.assert_allclose(action, sampled if explore else mode, rtol=1e-4, atol=1e-5)
