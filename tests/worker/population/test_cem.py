"""The cross-entropy method by hand, and on a problem whose answer is known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec.methods.cem_rl import CEMRLSpec
from phylon.worker.population import cem
from phylon.worker.population.cem import CEMState


class TestEliteWeights:
    def test_by_hand(self, variant):
        weights = variant(lambda fitness: cem.elite_weights(fitness, 2, "log"))(jnp.array([1.0, 7.0, jnp.nan, 3.0]))
        first, second = np.log(3 / 1), np.log(3 / 2)
        np.testing.assert_allclose(weights, np.array([0, first, 0, second]) / (first + second), rtol=1e-6)

    def test_a_member_that_diverged_counts_nothing_even_if_too_few_are_left(self):
        weights = cem.elite_weights(jnp.array([jnp.nan, 7.0, jnp.nan, jnp.nan]), 2, "log")
        np.testing.assert_allclose(weights, [0, 1, 0, 0], rtol=1e-6)

    def test_uniform(self):
        weights = cem.elite_weights(jnp.array([1.0, 7.0, 5.0, 3.0]), 3, "uniform")
        np.testing.assert_allclose(weights, [0, 1 / 3, 1 / 3, 1 / 3], rtol=1e-6)


def test_an_update_by_hand(variant):
    """The spread is around the OLD mean, and divided by the number of elites, although their weights add up to one."""
    state = CEMState({"w": jnp.array([1.0, 0.0])}, {"w": jnp.array([9.0, 9.0])}, jnp.float32(0.2))
    samples = {"w": jnp.array([[2.0, 0.0], [4.0, 2.0], [100.0, 100.0]])}
    update = variant(lambda state, samples, weights: cem.update(state, samples, weights, 0.5, 0.1))
    after = update(state, samples, jnp.array([0.75, 0.25, 0.0]))
    assert after.noise == pytest.approx(0.5 * 0.2 + 0.5 * 0.1)
    np.testing.assert_allclose(after.mean["w"], [2.5, 0.5], rtol=1e-6)
    spread = [0.75 * 1 + 0.25 * 9, 0.25 * 4]
    np.testing.assert_allclose(after.variance["w"], np.array(spread) / 2 + 0.15, rtol=1e-6)


@pytest.mark.parametrize(("rule", "first_noise"), [("authors", 9.505e-4), ("fastpbrl", 9.5005e-3)])
def test_a_first_update_by_hand(rule, first_noise):
    """Ten draws, five elites: the mean's deviations are 1, 2, 3, 4, 5 in the order of places."""
    method = CEMRLSpec.model_validate({"name": "cem_rl", "interval": 1, "rule": rule})
    state = cem.begin({"w": jnp.zeros(1)}, method.initial_variance, method.noise.initial)
    weights = cem.elite_weights(-jnp.arange(10.0), 5, "log")
    np.testing.assert_allclose(weights[:5], [0.430, 0.263, 0.166, 0.097, 0.044], atol=1e-3)
    after = cem.update(state, {"w": jnp.arange(1.0, 11.0)[:, None]}, weights, method.noise.decay, method.noise.final)
    assert after.noise == pytest.approx(first_noise)
    shares = np.log(6 / np.arange(1, 6)) / np.log(6 / np.arange(1, 6)).sum()
    assert after.mean["w"][0] == pytest.approx(shares @ np.arange(1, 6))
    assert after.variance["w"][0] == pytest.approx(shares @ np.arange(1, 6) ** 2 / 5 + first_noise)


def variance_by_chance(rule, generations=20, weights_of_a_policy=4000):
    """The mean variance where fitness says nothing: ten drawn, five elites."""
    method = CEMRLSpec.model_validate({"name": "cem_rl", "interval": 1, "rule": rule})
    state = cem.begin({"w": jnp.zeros(weights_of_a_policy)}, method.initial_variance, method.noise.initial)
    for generation in range(generations):
        sample_key, fitness_key = jax.random.split(jax.random.key(generation))
        samples = cem.sample(sample_key, state, 10, method.antithetic)
        places = cem.elite_weights(jax.random.normal(fitness_key, (10,)), 5, method.weights)
        state = cem.update(state, samples, places, method.noise.decay, method.noise.final)
    return float(cem.deviation(state)) ** 2


EXPECTED = {"authors": 4.6e-4, "fastpbrl": 4.5e-3}


@pytest.mark.parametrize("rule", EXPECTED)
def test_the_variance_follows_the_noise_down(rule):
    assert variance_by_chance(rule) == pytest.approx(EXPECTED[rule], rel=0.05)


def undivided(state, samples, weights, decay, final):
    """The former rule: a weighted mean of squared distances, plus noise."""
    after = CURRENT_UPDATE(state, samples, weights, decay, final)
    spread = jax.tree.map(lambda leaf: (leaf - after.noise) * 5 + after.noise, after.variance)
    return after._replace(variance=spread)


CURRENT_UPDATE = cem.update


@pytest.mark.parametrize("rule", EXPECTED)
def test_and_did_not_by_the_former_rule(monkeypatch, rule):
    monkeypatch.setattr(cem, "update", undivided)
    assert variance_by_chance(rule) > 20 * EXPECTED[rule]


def test_the_deviation_is_over_all_weights():
    state = CEMState({}, {"a": jnp.array([1.0, 2.0]), "b": jnp.array([[9.0]])}, jnp.float32(0))
    assert cem.deviation(state) == pytest.approx(2.0)


class TestSample:
    def test_deviation_is_the_root_of_the_variance(self):
        state = cem.begin({"w": jnp.array([3.0, -1.0])}, 0.01, 0.0)
        drawn = cem.sample(jax.random.key(0), state, 4000, antithetic=False)["w"]
        np.testing.assert_allclose(drawn.mean(axis=0), [3, -1], atol=0.01)
        np.testing.assert_allclose(drawn.std(axis=0), [0.1, 0.1], rtol=0.05)

    @pytest.mark.parametrize("size", [6, 5])
    def test_the_second_half_mirrors_the_first(self, size):
        state = cem.begin({"a": jnp.ones(2), "b": jnp.ones((2, 1))}, 1.0, 0.0)
        drawn = cem.sample(jax.random.key(0), state, size, antithetic=True)
        for leaf in jax.tree.leaves(drawn):
            assert len(leaf) == size
            mirrored = len(leaf) // 2
            opposite = leaf[:mirrored] + leaf[-(-size // 2) :]
            np.testing.assert_allclose(opposite / 2, np.ones_like(opposite), rtol=1e-6)
            assert not np.allclose(leaf[0], leaf[1])
        assert not np.allclose(drawn["a"], drawn["b"][:, :, 0])  # every leaf has noise of its own


@pytest.mark.parametrize("antithetic", [True, False])
def test_solves_the_quadratic(antithetic):
    """The problem of the fastpbrl authors' test: two small arrays have to find 1 everywhere."""
    state = cem.begin({"row": jnp.zeros((1, 2)), "column": jnp.zeros((2, 1))}, 1.0, 0.01)

    def iteration(state, key):
        samples = cem.sample(key, state, 100, antithetic)
        distances = [jnp.abs(leaf - 1).sum(axis=(1, 2)) for leaf in jax.tree.leaves(samples)]
        weights = cem.elite_weights(-sum(distances), 50, "log")
        return cem.update(state, samples, weights, decay=0.95, final=0.001), None

    # as plain words: JAX's check for reused keys takes scanned keys for used ones
    words = jax.random.key_data(jax.random.split(jax.random.key(0), 100))
    final, _ = jax.lax.scan(lambda state, word: iteration(state, jax.random.wrap_key_data(word)), state, words)
    for leaf in jax.tree.leaves(final.mean):
        np.testing.assert_allclose(leaf, np.ones(leaf.shape), atol=np.sqrt(0.001))
