"""Dependent rounding by its marginals, the cap by its equation, the whole by its regret while the best one changes."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec.methods.pb2 import BanditSpec
from phylon.worker.population.pb2.bandit import Rates, cap, draw, fresh, learn, probabilities, rates, rounded

compiled = partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


@pytest.mark.parametrize(
    "expected",
    [
        [0.8, 0.4, 0.2, 0.2, 0.2, 0.1, 0.06, 0.04],  # two draws
        [2.3, 0.4, 1.0, 1.3],  # more draws than categories, and one that is whole already
    ],
)
def test_dependent_rounding_keeps_the_marginals(expected):
    expected = jnp.array(expected)
    count = round(float(expected.sum()))
    keys = jax.random.split(jax.random.key(0), 6000)
    counts = np.asarray(compiled(jax.vmap(lambda key: rounded(key, expected, count)))(keys))
    assert np.all(counts.sum(axis=1) == count)
    assert np.all((counts >= np.floor(expected)) & (counts <= np.ceil(expected)))
    np.testing.assert_allclose(counts.mean(axis=0), expected, atol=0.025)


def test_the_cap_solves_its_equation():
    weights, largest = jnp.array([0.1, 4.0, 0.3, 2.0, 0.2]), 0.35
    level = cap(weights, largest)
    assert level / jnp.sum(jnp.minimum(weights, level)) == pytest.approx(largest, rel=1e-5)
    assert jnp.isinf(cap(jnp.ones(4), 0.3))


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_no_category_is_drawn_more_than_once_until_all_are(count):
    weights = jnp.array([100.0, 1.0, 1.0, 1.0]) / 103
    shares, is_capped = probabilities(weights, 0.2, count)
    assert jnp.sum(shares) == pytest.approx(1, rel=1e-5)
    assert np.all(shares >= 0.2 / 4 - 1e-6)
    if 1 < count < 4:
        assert shares[0] == pytest.approx(1 / count, rel=1e-5)
        assert is_capped.tolist() == [True, False, False, False]
    else:
        np.testing.assert_allclose(shares, 0.8 * weights + 0.05, rtol=1e-5)


def test_one_round_by_hand():
    bandit = fresh(4, 8)._replace(chance=jnp.array([1.0, 0.5, 0.25, 0.25]), is_capped=jnp.arange(4) == 3)
    after = learn(bandit, Rates(0.2, 0.01), 8, jnp.array([0.5, 1.0, 1.0, 1.0]), jnp.array([True, True, False, True]))
    shared = np.e * 0.01 / 4
    expected = 0.25 * np.exp([0.2 * 0.5, 0.2 * 1.0 / 0.5, 0.0, 0.0]) + shared  # unseen, and capped
    np.testing.assert_allclose(after.weights, expected / expected.sum(), rtol=1e-5)


def test_the_estimate_of_a_gain_is_fair():
    """Seen with its chance and divided by it: on average the gain itself, whatever the weights."""
    bandit = fresh(4, 2)._replace(weights=jnp.array([0.7, 0.1, 0.1, 0.1]))
    numbers = rates(BanditSpec(), 4, 2, 1000)

    def estimate(key):
        drawn, expected, after = draw(key, bandit, numbers, 2, jnp.zeros(4, jnp.bool_))
        return jnp.zeros(4).at[drawn].set(1.0) / after.chance, expected

    estimates, expected = compiled(jax.vmap(estimate))(jax.random.split(jax.random.key(0), 6000))
    np.testing.assert_allclose(estimates.mean(axis=0), 1, atol=0.06)
    np.testing.assert_allclose(expected[0].sum(), 2, rtol=1e-5)


def test_a_category_that_a_survivor_holds_is_seen_for_sure():
    is_held = jnp.array([True, False, False, True])
    draw_two = compiled(lambda key: draw(key, fresh(4, 8), Rates(0.2, 0.0), 2, is_held))
    _, expected, after = draw_two(jax.random.key(0))
    assert after.chance[0] == after.chance[3] == 1
    np.testing.assert_allclose(after.chance[1:3], expected[1:3])


def test_rates_of_the_paper():
    assert rates(BanditSpec(), arms=8, plays=4, rounds=50).exploration == pytest.approx(0.402, abs=1e-3)
    assert rates(BanditSpec(), arms=8, plays=4, rounds=50).sharing == pytest.approx(0.02)
    assert rates(BanditSpec(), arms=4, plays=4, rounds=50).exploration == 0.2
    assert rates(BanditSpec(exploration=0.5, sharing=0.1), arms=8, plays=4, rounds=50) == (0.5, 0.1)
    assert rates(BanditSpec(), arms=64, plays=1, rounds=0).exploration <= 0.9


def test_regret_while_the_best_category_changes():
    """Three seasons of 200 rounds, another category the best in each; two draws a round, noisy gains."""
    arms, draws, rounds = 6, 2, 600
    best = jnp.repeat(jnp.array([1, 4, 2]), rounds // 3)
    numbers = rates(BanditSpec(), arms, draws, rounds)

    def play(bandit, turn):
        best, words = turn
        draw_key, noise_key, uniform_key = jax.random.split(jax.random.wrap_key_data(words), 3)
        means = jnp.where(jnp.arange(arms) == best, 0.8, 0.3)
        drawn, _, bandit = draw(draw_key, bandit, numbers, draws, jnp.zeros(arms, jnp.bool_))
        gains = jnp.clip(means + 0.1 * jax.random.normal(noise_key, (arms,)), 0, 1)
        bandit = learn(bandit, numbers, draws, gains, jnp.zeros(arms, jnp.bool_).at[drawn].set(True))
        uniform = jax.random.choice(uniform_key, arms, (draws,), replace=False)
        most = jnp.sum(jax.lax.top_k(means, draws)[0])
        return bandit, (most - jnp.sum(means[drawn]), most - jnp.sum(means[uniform]))

    def regrets(key):
        words = jax.random.key_data(jax.random.split(key, rounds))
        _, lost = jax.lax.scan(play, fresh(arms, draws), (best, words))
        return jnp.stack([jnp.sum(regret) for regret in lost])

    ours, uniform = np.asarray(compiled(jax.vmap(regrets))(jax.random.split(jax.random.key(0), 10))).mean(axis=0)
    assert uniform == pytest.approx(rounds * 0.5 * (1 - draws / arms), rel=0.1)
    assert ours < 0.6 * uniform, (ours, uniform)
