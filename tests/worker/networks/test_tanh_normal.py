"""The squashed normal distribution against brute force: SciPy's normal and numeric integration, in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

from phylon.worker.networks import TanhNormal

CASES = [(0.0, 0.0), (1.5, -1.0), (-0.7, 0.8), (0.3, -3.0)]


def distribution(mean, log_std):
    return TanhNormal(jnp.array([mean]), jnp.array([log_std]))


def density(variant, mean, log_std, actions):
    """exp(log_prob) at actions [n] of one dimension."""
    many = TanhNormal(jnp.full((len(actions), 1), mean), jnp.full((len(actions), 1), log_std))
    return np.exp(variant(TanhNormal.log_prob)(many, jnp.arctanh(jnp.asarray(actions, jnp.float32))[:, None]))


@pytest.mark.parametrize(("mean", "log_std"), CASES)
class TestLogProb:
    def test_density_is_the_slope_of_the_cumulative_distribution(self, variant, mean, log_std):
        def cumulative(action):
            return stats.norm.cdf(np.arctanh(action), mean, np.exp(log_std))

        actions = np.tanh(mean + np.exp(log_std) * np.linspace(-1.5, 1.5, 13)).astype(np.float32).astype(np.float64)
        step = 1e-6
        slope = (cumulative(actions + step) - cumulative(actions - step)) / (2 * step)
        np.testing.assert_allclose(density(variant, mean, log_std, actions), slope, rtol=2e-3)

    def test_density_integrates_to_one(self, variant, mean, log_std):
        """Over the whole of (-1, 1), on a grid that is dense where the density is."""
        raw = mean + np.exp(log_std) * np.linspace(-6, 6, 4001)
        actions = np.tanh(raw)
        many = TanhNormal(jnp.full((4001, 1), mean), jnp.full((4001, 1), log_std))
        values = np.exp(np.asarray(variant(TanhNormal.log_prob)(many, jnp.asarray(raw, jnp.float32)[:, None])))
        assert integrate.trapezoid(values, actions) == pytest.approx(1, abs=2e-3)

    def test_mean_of_minus_log_prob_is_the_entropy(self, mean, log_std):
        def integrand(raw):
            log_density = stats.norm.logpdf(raw, mean, np.exp(log_std)) + 2 * np.log(np.cosh(raw))
            return -stats.norm.pdf(raw, mean, np.exp(log_std)) * log_density

        deviation = np.exp(log_std)
        entropy, _ = integrate.quad(integrand, mean - 9 * deviation, mean + 9 * deviation)
        many = TanhNormal(jnp.full((100_000, 1), mean), jnp.full((100_000, 1), log_std))
        _, log_prob = many.sample(jax.random.key(0))
        assert -float(jnp.mean(log_prob)) == pytest.approx(entropy, abs=0.02)


def test_dimensions_add_up(variant):
    mean, log_std, raw = jnp.array([0.5, -1.0, 0.0]), jnp.array([-0.5, 0.3, 0.0]), jnp.array([0.2, -1.1, 2.0])
    apart = [TanhNormal(mean[i : i + 1], log_std[i : i + 1]).log_prob(raw[i : i + 1]) for i in range(3)]
    assert variant(TanhNormal.log_prob)(TanhNormal(mean, log_std), raw) == pytest.approx(float(sum(apart)), rel=1e-6)


def test_log_prob_by_hand(variant):
    """At the centre of a standard normal: log(1 / sqrt(2 pi)) and no correction."""
    assert variant(TanhNormal.log_prob)(distribution(0.0, 0.0), jnp.zeros(1)) == pytest.approx(-0.9189385)


@pytest.mark.parametrize("raw", [-40.0, -9.5, 9.5, 40.0])
def test_far_out_the_correction_is_exact_and_its_gradient_finite(variant, raw):
    """1 - tanh(40)² is zero in float32, but its logarithm is 2 log 2 - 80 and its slope -2."""
    at = distribution(raw, 0.0)
    exact = -0.5 * np.log(2 * np.pi) - (2 * np.log(2) - 2 * abs(raw))
    assert variant(TanhNormal.log_prob)(at, jnp.array([raw])) == pytest.approx(exact, rel=1e-6)
    slope = variant(jax.grad(lambda value: at.log_prob(value)))(jnp.array([raw]))
    assert slope.tolist() == pytest.approx([2 * np.sign(raw)], rel=1e-5)


@pytest.mark.parametrize("raw", [-0.3, 0.0, 0.3, 1e-6])
def test_near_the_centre_the_slope_of_the_correction_is_exact(variant, raw):
    slope = variant(jax.grad(lambda value: distribution(raw, 0.0).log_prob(value)))(jnp.array([raw]))
    assert slope.tolist() == pytest.approx([2 * np.tanh(raw)], rel=1e-5, abs=1e-7)


class TestSample:
    def test_it_is_the_squashed_reparameterised_noise_and_its_density(self, variant):
        mean, log_std = jnp.array([[0.5, -0.2], [2.0, 0.0]]), jnp.array([[-1.0, 0.5], [0.0, -2.0]])
        action, log_prob = variant(TanhNormal.sample)(TanhNormal(mean, log_std), jax.random.key(3))
        noise = np.asarray(jax.random.normal(jax.random.key(3), (2, 2)), np.float64)
        raw = np.asarray(mean) + np.exp(np.asarray(log_std)) * noise
        np.testing.assert_allclose(action, np.tanh(raw), rtol=1e-5)
        exact = stats.norm.logpdf(raw, mean, np.exp(np.asarray(log_std))) - np.log(1 - np.tanh(raw) ** 2)
        np.testing.assert_allclose(log_prob, exact.sum(axis=1), rtol=1e-4)

    def test_gradients_reach_mean_and_deviation(self):
        def mean_action(mean, log_std):
            return jnp.sum(TanhNormal(mean, log_std).sample(jax.random.key(0))[0])

        by_mean, by_log_std = jax.grad(mean_action, argnums=(0, 1))(jnp.zeros(3), jnp.zeros(3))
        noise = np.asarray(jax.random.normal(jax.random.key(0), (3,)))
        np.testing.assert_allclose(by_mean, 1 - np.tanh(noise) ** 2, rtol=1e-5)
        np.testing.assert_allclose(by_log_std, noise * (1 - np.tanh(noise) ** 2), rtol=1e-5)

    def test_different_keys_give_different_actions(self):
        at = distribution(0.0, 0.0)
        assert at.sample(jax.random.key(0))[0] != at.sample(jax.random.key(1))[0]


def test_mode_is_the_squashed_mean(variant):
    assert variant(TanhNormal.mode)(distribution(0.5, 1.0)).tolist() == pytest.approx([np.tanh(0.5)])
