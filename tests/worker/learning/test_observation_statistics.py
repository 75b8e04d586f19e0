import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.learning import observation_statistics
from phylon.worker.learning.observation_statistics import empty_statistics, normalise, take_in
from phylon.worker.learning.reward_scale import Moments


def seen(*segments):
    statistics = empty_statistics(np.shape(segments[0])[1:])
    for segment in segments:
        statistics = take_in(statistics, jnp.asarray(segment, jnp.float32))
    return statistics


def test_mean_and_variance_by_hand():
    """0, 2, 4 have mean 2 and variance 8/3; with 6 they have mean 3 and variance 5. The other component likewise."""
    statistics = seen([[0, 10], [2, 10], [4, 16]])
    np.testing.assert_allclose(statistics.mean, [2, 12], rtol=1e-6)
    np.testing.assert_allclose(statistics.variance, [8 / 3, 8], rtol=1e-6)
    statistics = seen([[0, 10], [2, 10], [4, 16]], [[6, 0]])
    assert statistics.count == 4
    np.testing.assert_allclose(statistics.mean, [3, 9], rtol=1e-6)
    np.testing.assert_allclose(statistics.variance, [5, 33], rtol=1e-6)


def test_normalised_by_hand(variant):
    statistics = Moments(jnp.array(4.0), jnp.array([3.0, 9.0]), jnp.array([4.0, 25.0]))
    obs = jnp.array([[5.0, 4.0], [3.0, 1009.0], [-97.0, 9.0]])
    found = variant(lambda statistics, obs: normalise(statistics, obs, 10.0))(statistics, obs)
    np.testing.assert_allclose(found, [[1, -1], [0, 10], [-10, 0]], rtol=1e-6)


def test_before_the_first_observation_nothing_changes_but_the_clip():
    found = normalise(empty_statistics((2,)), jnp.array([[0.5, -3.0], [1e6, 0.0]]), 10.0)
    np.testing.assert_allclose(found, [[0.5, -3.0], [10.0, 0.0]], rtol=1e-6)


def test_a_component_that_never_changes_becomes_zero():
    statistics = seen(np.full((50, 1), 0.3), np.full((50, 1), 0.3))
    np.testing.assert_allclose(normalise(statistics, jnp.full((1, 1), 0.3), 10.0), [[0]], atol=1e-3)


def precise(take):
    """Raises unless a small deviation far from zero survives 200 segments in float32."""
    values = np.random.default_rng(0).normal(10_000, 1, (200, 50, 1)).astype(np.float32)
    statistics, step = empty_statistics((1,)), jax.jit(take)
    for segment in values:
        statistics = step(statistics, segment)
    np.testing.assert_allclose(statistics.mean, [values.astype(np.float64).mean()], rtol=1e-6)
    np.testing.assert_allclose(statistics.variance, [values.astype(np.float64).var()], rtol=2e-2)


def test_a_small_deviation_far_from_zero_is_not_lost():
    precise(take_in)


def test_sums_of_squares_would_lose_it():
    def by_squares(statistics, observations):
        count = statistics.count + len(observations)
        share = len(observations) / count
        mean = (1 - share) * statistics.mean + share * jnp.mean(observations, axis=0)
        old = statistics.variance + jnp.square(statistics.mean)
        square = (1 - share) * old + share * jnp.mean(jnp.square(observations), axis=0)
        return Moments(count, mean, square - jnp.square(mean))

    with pytest.raises(AssertionError):
        precise(by_squares)


def test_a_first_guess_would_spoil_it(monkeypatch):
    """RewardScale starts with a guess that counts a ten-thousandth; far from zero that is too much."""
    guess = Moments(jnp.full((), 1e-4), jnp.zeros((1,)), jnp.ones((1,)))
    monkeypatch.setitem(globals(), "empty_statistics", lambda shape: guess)
    with pytest.raises(AssertionError):
        precise(observation_statistics.take_in)
