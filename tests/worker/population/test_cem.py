"""The cross-entropy method by hand, and on a problem whose answer is known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.population import cem
from phylon.worker.population.cem import CEMState


class TestEliteWeights:
    def test_by_hand(self, variant):
        weights = variant(lambda fitness: cem.elite_weights(fitness, 2, "log"))(jnp.array([1.0, 7.0, jnp.nan, 3.0]))
        first, second = np.log(3 / 1), np.log(3 / 2)
        np.testing.assert_allclose(weights, np.array([0, first, 0, second]) / (first + second), rtol=1e-6)

    def test_uniform(self):
        weights = cem.elite_weights(jnp.array([1.0, 7.0, 5.0, 3.0]), 3, "uniform")
        np.testing.assert_allclose(weights, [0, 1 / 3, 1 / 3, 1 / 3], rtol=1e-6)


def test_an_update_by_hand(variant):
    """The spread is around the OLD mean, and weights that add up to one are not divided by their number again."""
    state = CEMState({"w": jnp.array([1.0, 0.0])}, {"w": jnp.array([9.0, 9.0])}, jnp.float32(0.2))
    samples = {"w": jnp.array([[2.0, 0.0], [4.0, 2.0], [100.0, 100.0]])}
    update = variant(lambda state, samples, weights: cem.update(state, samples, weights, 0.5, 0.1))
    after = update(state, samples, jnp.array([0.75, 0.25, 0.0]))
    assert after.noise == pytest.approx(0.5 * 0.2 + 0.5 * 0.1)
    np.testing.assert_allclose(after.mean["w"], [2.5, 0.5], rtol=1e-6)
    spread = [0.75 * 1 + 0.25 * 9, 0.25 * 4]
    np.testing.assert_allclose(after.variance["w"], np.array(spread) + 0.15, rtol=1e-6)


class TestSample:
    def test_deviation_is_the_root_of_the_variance(self):
        state = cem.begin({"w": jnp.array([3.0, -1.0])}, 0.01, 0.0)
        drawn = cem.sample(jax.random.key(0), state, 4000, antithetic=False)["w"]
        np.testing.assert_allclose(drawn.mean(axis=0), [3, -1], atol=0.01)
        np.testing.assert_allclose(drawn.std(axis=0), [0.1, 0.1], rtol=0.05)

    @pytest.mark.parametrize("size", [6, 5])
    def test_neighbours_are_opposite(self, size):
        state = cem.begin({"a": jnp.ones(2), "b": jnp.ones((2, 1))}, 1.0, 0.0)
        drawn = cem.sample(jax.random.key(0), state, size, antithetic=True)
        for leaf in jax.tree.leaves(drawn):
            assert len(leaf) == size
            np.testing.assert_allclose((leaf[0] + leaf[1]) / 2, np.ones(leaf.shape[1:]), rtol=1e-6)
            assert not np.allclose(leaf[0], leaf[2])
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
