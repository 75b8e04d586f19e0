"""How hyper-parameters move: what is inherited, by how much it moves, what the lineage calls it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import Choice, IntUniform, LogUniform, Uniform
from phylon.spec.explore import GaussianExplore, KeepExplore, PerturbExplore, ResampleExplore, TriangularExplore
from phylon.worker.core.keys import member_keys
from phylon.worker.population.explore import build_move, explore_members
from phylon.worker.population.hyperparams import prior

WHO = jnp.array([True, False, True, False])
HYPERPARAMS = {
    "rate": jnp.array([0.2, 0.2, 0.2, 0.4]),
    "share": jnp.array([0.3, 0.3, 0.3, 0.1]),
    "fixed": jnp.array([2.0, 2.0, 2.0, 4.0]),
}
WIDE = Uniform(uniform=(0.0, 100.0))


def perturb(resample=0.0, factors=(0.8, 1.2)):
    return PerturbExplore(name="perturb", factors=factors, resample=resample)


def moves_of(explore, distribution=WIDE):
    return {name: build_move(explore, prior(distribution), distribution, name) for name in ("rate", "share")}


class TestWhoMoves:
    def test_children_multiply_what_they_have_and_others_keep_theirs(self):
        moves = moves_of(perturb())
        values, codes = explore_members(jax.random.key(0), WHO, HYPERPARAMS, moves)
        for name, parent in {"rate": 0.2, "share": 0.3}.items():
            for slot in (0, 2):
                factor = {"x0.8": 0.8, "x1.2": 1.2}[moves[name].words[codes[name][slot]]]
                assert values[name][slot] == pytest.approx(parent * factor)
            assert values[name][1] == HYPERPARAMS[name][1]
            assert values[name][3] == HYPERPARAMS[name][3]
            assert codes[name][1] == codes[name][3] == -1

    def test_a_number_that_is_not_tuned_stays(self):
        values, codes = explore_members(jax.random.key(0), WHO, HYPERPARAMS, moves_of(perturb()))
        assert values["fixed"].tolist() == [2, 2, 2, 4]
        assert set(codes) == {"rate", "share"}

    def test_resampling_forgets_the_parent(self):
        for explore in (perturb(resample=1.0), ResampleExplore(name="resample")):
            values, codes = explore_members(jax.random.key(0), WHO, HYPERPARAMS, moves_of(explore))
            assert codes["rate"].tolist() == [1, -1, 1, -1]
            drawn = [float(values[name][slot]) for name in ("rate", "share") for slot in (0, 2)]
            assert len(set(drawn)) == 4

    def test_every_member_and_hyperparameter_draws_for_itself(self):
        size = 400
        hyperparams = {name: jnp.ones(size) for name in HYPERPARAMS}
        everyone = jnp.ones(size, bool)
        _, codes = explore_members(jax.random.key(0), everyone, hyperparams, moves_of(perturb(resample=0.25)))
        rate, share = (np.asarray(codes[name]) for name in ("rate", "share"))
        for code, probability in {1: 0.25, 2: 0.375, 3: 0.375}.items():
            assert np.mean(rate == code) == pytest.approx(probability, abs=0.08)
            both = np.mean((rate == code) & (share == code))
            assert both == pytest.approx(probability**2, abs=0.06)  # independent of each other

    def test_a_move_that_ends_where_it_began_is_inheritance(self):
        hyperparams = HYPERPARAMS | {"rate": jnp.full(4, 100.0)}  # at the upper bound
        explore = perturb(factors=(1.2, 1.5))
        values, codes = explore_members(jax.random.key(0), WHO, hyperparams, moves_of(explore))
        assert codes["rate"].tolist() == [0, -1, 0, -1]
        assert values["rate"].tolist() == [100.0] * 4


def many(explore, distribution, value, count=3000):
    move = build_move(explore, prior(distribution), distribution, "x")
    keys = member_keys(jax.random.key(3), count)
    values, codes = jax.vmap(move.apply, in_axes=(0, None))(keys, jnp.float32(value))
    return np.asarray(values), [move.words[code] for code in codes]


class TestHowFar:
    def test_a_triangle_has_its_mean_and_its_bounds(self):
        values, words = many(TriangularExplore(name="triangular"), WIDE, 10.0)
        assert 9.0 <= values.min() < 9.2
        assert 11.7 < values.max() <= 12.0
        assert values.mean() == pytest.approx(10 * (0.9 + 0.95 + 1.2) / 3, abs=0.05)
        assert np.mean(values < 9.5) == pytest.approx(0.05 / 0.3, abs=0.03)  # mass below the mode
        assert set(words) == {"triangular"}

    def test_gaussian_noise_is_in_units_of_the_range(self):
        values, _ = many(GaussianExplore(name="gaussian", deviation=0.05), WIDE, 50.0)
        assert values.mean() == pytest.approx(50, abs=0.4)
        assert values.std() == pytest.approx(5, rel=0.05)

    def test_and_of_its_logarithm_where_that_is_drawn(self):
        values, _ = many(GaussianExplore(name="gaussian", deviation=0.05), LogUniform(log_uniform=(1e-4, 1.0)), 1e-2)
        assert np.log10(values).std() == pytest.approx(0.2, rel=0.05)

    def test_and_of_the_logarithm_of_the_distance_to_one_near_it(self):
        """[0.9, 0.999] are two orders of magnitude of 1 - x, so 0.05 of it is a tenth of an order."""
        distribution = Uniform(uniform=(0.9, 0.999))
        functions = prior(distribution, scale="complement")
        move = build_move(GaussianExplore(name="gaussian", deviation=0.05), functions, distribution, "discount")
        values, _ = jax.vmap(move.apply, in_axes=(0, None))(member_keys(jax.random.key(3), 3000), jnp.float32(0.99))
        assert np.log10(1 - np.asarray(values)).std() == pytest.approx(0.1, rel=0.05)

    def test_whole_numbers_stay_whole(self):
        for explore in (GaussianExplore(name="gaussian"), TriangularExplore(name="triangular")):
            values, _ = many(explore, IntUniform(int_uniform=(1, 20)), 4)
            assert np.all(values == np.round(values))
            assert len(np.unique(values)) >= 2

    def test_keeping_keeps(self):
        values, words = many(KeepExplore(name="keep"), WIDE, 7.0, count=5)
        assert values.tolist() == [7.0] * 5
        assert set(words) == {"inherit"}

    def test_numbers_of_a_choice_move_to_neighbours(self):
        listed = Choice(choice=(0.0, 1.0, 2.0, 3.0))
        for explore in (perturb(), TriangularExplore(name="triangular"), GaussianExplore(name="gaussian")):
            numbers, _ = many(explore, listed, 1.0)
            assert set(numbers) <= {0.0, 1.0, 2.0}
            assert set(numbers) & {0.0, 2.0}
