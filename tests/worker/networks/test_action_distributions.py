import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.networks.distributions import Categorical, DiagonalNormal, FactoredCategorical, factored

LOGITS = jnp.array([[0.0, 1.0, -2.0], [3.0, 3.0, 3.0]])
CHOICE = Categorical(LOGITS)
PROBABILITIES = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
NORMAL = DiagonalNormal(mean=jnp.array([0.5, -1.0]), log_std=jnp.log(jnp.array([0.5, 2.0])))


class TestCategorical:
    @pytest.mark.parametrize("action", [[0, 0], [1, 2], [2, 1]])
    def test_log_prob(self, variant, action):
        found = variant(Categorical.log_prob)(CHOICE, jnp.array(action, jnp.int32))
        assert found.tolist() == pytest.approx([np.log(PROBABILITIES[row, action[row]]) for row in range(2)])

    def test_entropy(self, variant):
        expected = -(PROBABILITIES * np.log(PROBABILITIES)).sum(axis=1)
        assert variant(Categorical.entropy)(CHOICE).tolist() == pytest.approx(expected.tolist())

    def test_entropy_of_a_certain_choice_is_zero_and_its_gradient_finite(self, variant):
        certain = Categorical(jnp.array([200.0, 0.0, 0.0]))
        assert variant(Categorical.entropy)(certain) == pytest.approx(0.0)
        assert np.all(np.isfinite(variant(jax.grad(Categorical.entropy))(certain).logits))

    def test_samples_follow_the_probabilities(self, variant):
        logits = jnp.broadcast_to(LOGITS[:, None], (2, 20_000, 3))
        actions = variant(Categorical.sample)(Categorical(logits), jax.random.key(0))
        assert actions.dtype == jnp.int32
        for row in range(2):
            shares = np.bincount(actions[row], minlength=3) / 20_000
            np.testing.assert_allclose(shares, PROBABILITIES[row], atol=0.015)

    def test_mode(self, variant):
        mode = variant(Categorical.mode)(Categorical(jnp.array([[0.0, 5.0, 1.0], [2.0, 0.0, 1.0]])))
        assert mode.tolist() == [1, 0]
        assert mode.dtype == jnp.int32


class TestDiagonalNormal:
    def test_log_prob_by_hand(self, variant):
        action = np.array([1.0, 1.0])  # one deviation from each mean
        expected = sum(-0.5 - np.log(std) - 0.5 * np.log(2 * np.pi) for std in (0.5, 2.0))
        assert variant(DiagonalNormal.log_prob)(NORMAL, jnp.array(action)) == pytest.approx(expected)

    def test_density_integrates_to_one(self):
        """Brute force over a grid of ten deviations each way, far beyond the [-1, 1] of the environments."""
        axes = [np.linspace(m - 10 * s, m + 10 * s, 401) for m, s in ((0.5, 0.5), (-1.0, 2.0))]
        actions = jnp.array(list(itertools.product(*axes)), jnp.float32)
        batch = DiagonalNormal(*(jnp.broadcast_to(part, actions.shape) for part in NORMAL))
        density = np.exp(np.asarray(DiagonalNormal.log_prob(batch, actions), np.float64))
        assert density.sum() * np.prod([axis[1] - axis[0] for axis in axes]) == pytest.approx(1, rel=1e-4)

    def test_entropy_is_minus_the_mean_log_prob_of_samples(self, variant):
        batch = DiagonalNormal(*(jnp.broadcast_to(part, (50_000, 2)) for part in NORMAL))
        samples = variant(DiagonalNormal.sample)(batch, jax.random.key(0))
        entropy = variant(DiagonalNormal.entropy)(NORMAL)
        assert float(-jnp.mean(DiagonalNormal.log_prob(batch, samples))) == pytest.approx(float(entropy), abs=0.02)
        assert float(entropy) == pytest.approx(np.log(0.5) + np.log(2.0) + np.log(2 * np.pi * np.e))

    def test_samples_have_the_mean_and_the_deviation_and_are_not_clipped(self, variant):
        batch = DiagonalNormal(*(jnp.broadcast_to(part, (50_000, 2)) for part in NORMAL))
        samples = np.asarray(variant(DiagonalNormal.sample)(batch, jax.random.key(0)))
        np.testing.assert_allclose(samples.mean(axis=0), [0.5, -1.0], atol=0.03)
        np.testing.assert_allclose(samples.std(axis=0), [0.5, 2.0], rtol=0.02)
        assert samples.min() < -1
        assert samples.max() > 1

    def test_mode_is_the_mean(self):
        assert NORMAL.mode().tolist() == [0.5, -1.0]


class TestFactoredCategorical:
    """Logits ln 3 and 0 make 3/4 and 1/4; ln 2, ln 2 and 0 make 2/5, 2/5 and 1/5."""

    CHOICES = factored(jnp.log(jnp.array([3.0, 1.0, 2.0, 2.0, 1.0])), (2, 3))

    def test_log_prob_is_the_sum_over_choices(self, variant):
        found = variant(FactoredCategorical.log_prob)(self.CHOICES, jnp.array([0, 2], jnp.int32))
        assert float(found) == pytest.approx(np.log(3 / 4 * 1 / 5))

    def test_entropy_is_the_sum_over_choices(self, variant):
        expected = -(3 / 4 * np.log(3 / 4) + 1 / 4 * np.log(1 / 4)) - (4 / 5 * np.log(2 / 5) + 1 / 5 * np.log(1 / 5))
        assert float(variant(FactoredCategorical.entropy)(self.CHOICES)) == pytest.approx(expected)

    def test_samples_are_independent_and_follow_the_probabilities(self, variant):
        count = 20_000
        many = jax.tree.map(lambda logits: jnp.broadcast_to(logits, (count, *logits.shape)), self.CHOICES)
        actions = variant(FactoredCategorical.sample)(many, jax.random.key(0))
        assert actions.shape == (count, 2) and actions.dtype == jnp.int32
        both = np.zeros((2, 3))
        np.add.at(both, tuple(np.asarray(actions).T), 1 / count)
        np.testing.assert_allclose(both, np.outer([3 / 4, 1 / 4], [2 / 5, 2 / 5, 1 / 5]), atol=0.015)

    def test_mode_is_that_of_each_choice(self, variant):
        assert variant(FactoredCategorical.mode)(factored(jnp.array([[0.0, 1, 5, 2, 3]]), (2, 3))).tolist() == [[1, 0]]
