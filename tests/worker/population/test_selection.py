"""Who copies whom, by hand-made cases and against brute force."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec.selection import (
    BinaryTournament,
    CustomSelection,
    NoSelection,
    TruncationSelection,
    TTestSelection,
    WinnerTakesAll,
)
from phylon.worker.core.errors import EngineError
from phylon.worker.population import PopulationScores
from phylon.worker.population.custom import load_entry_point
from phylon.worker.population.selection import best_first, build_selection, ranks, truncation, valid_parents, welch

NAN, INFINITY = float("nan"), float("inf")


def scores(fitness, returns=None):
    fitness = jnp.asarray(fitness, jnp.float32)
    returns = jnp.repeat(fitness[:, None], 4, axis=1) if returns is None else jnp.asarray(returns, jnp.float32)
    return PopulationScores(jnp.int32(0), fitness, returns)


class TestRanking:
    @pytest.mark.parametrize(
        ("fitness", "order"),
        [
            ([1.0, 3.0, 2.0], [1, 2, 0]),
            ([NAN, -INFINITY, 0.0, INFINITY], [3, 2, 1, 0]),  # NaN is the worst of all
            ([2.0, 5.0, 5.0, 2.0], [1, 2, 0, 3]),  # of equals the lower slot wins
            ([NAN, 1.0, NAN], [1, 0, 2]),
        ],
    )
    def test_best_first(self, variant, fitness, order):
        assert variant(best_first)(jnp.array(fitness)).tolist() == order

    def test_ranks_are_positions_in_that_order(self):
        assert ranks(jnp.array([1.0, 3.0, NAN, 2.0])).tolist() == [2, 0, 3, 1]


class TestTruncation:
    def test_the_worst_copy_the_best(self, variant):
        choose = variant(lambda key, fitness: truncation(key, fitness, replaced=2, donors=1))
        assert choose(jax.random.key(0), jnp.array([3.0, 9.0, 1.0, NAN, 4.0])).tolist() == [0, 1, 1, 1, 4]

    def test_every_donor_is_drawn_equally_often(self):
        fitness = jnp.arange(40.0)
        keys = jax.random.split(jax.random.key(0), 300)
        parents = jax.vmap(lambda key: truncation(key, fitness, replaced=10, donors=4))(keys)
        drawn, counts = np.unique(parents[:, :10], return_counts=True)
        assert drawn.tolist() == [36, 37, 38, 39]
        np.testing.assert_allclose(counts / 3000, 0.25, atol=0.04)


def test_the_winner_takes_all(variant):
    choose = variant(build_selection(WinnerTakesAll(name="winner_takes_all"), 4))
    assert choose(jax.random.key(0), scores([1.0, NAN, 7.0, 7.0])).tolist() == [2, 2, 2, 2]


def test_nobody_is_replaced(variant):
    choose = variant(build_selection(NoSelection(name="none"), 3))
    assert choose(jax.random.key(0), scores([1.0, NAN, 7.0])).tolist() == [0, 1, 2]


class TestBinaryTournament:
    CHOOSE = staticmethod(jax.jit(build_selection(BinaryTournament(name="binary_tournament"), 6)))

    def test_only_the_better_are_copied_and_each_rival_is_as_likely(self):
        fitness = np.array([3.0, NAN, 5.0, 5.0, -INFINITY, 1.0])
        parents = np.stack([self.CHOOSE(jax.random.key(seed), scores(fitness)) for seed in range(400)])
        copied = parents != np.arange(6)
        values = np.nan_to_num(fitness, nan=-1e38, neginf=-1e37)
        assert np.all(values[parents[copied]] > np.broadcast_to(values, parents.shape)[copied])
        better = [(values > value).sum() for value in values]
        np.testing.assert_allclose(copied.mean(axis=0), np.array(better) / 5, atol=0.08)

    def test_equals_are_left_alone(self):
        assert self.CHOOSE(jax.random.key(1), scores([2.0] * 6)).tolist() == list(range(6))


class TestWelch:
    def test_it_is_the_test_of_the_books(self, variant):
        # samples and p-value computed by hand: means 3 and 6, variances 2.5 and 2.5, n = 5: t = -3, 8 degrees
        first, second = jnp.array([[1.0, 2, 3, 4, 5]]), jnp.array([[4.0, 5, 6, 7, 8]])
        assert variant(welch)(first, second)[0] == pytest.approx(0.0170717, abs=1e-5)

    def test_unequal_variances(self):
        # means 2 and 8, variances 1 and 16, n = 3: t = 6/sqrt(17/3), 2.2494 degrees of freedom
        first, second = jnp.array([[1.0, 2, 3]]), jnp.array([[4.0, 8, 12]])
        t, freedom = 6 / np.sqrt(17 / 3), (17 / 3) ** 2 / ((1 / 3) ** 2 / 2 + (16 / 3) ** 2 / 2)
        draws = np.random.default_rng(0).standard_t(freedom, 2_000_000)
        assert welch(first, second)[0] == pytest.approx(np.mean(np.abs(draws) > t), abs=2e-3)

    @pytest.mark.parametrize(
        ("first", "second", "expected"),
        [
            ([1.0, 1.0], [2.0, 2.0], 0.0),
            ([1.0, 1.0], [1.0, 1.0], 1.0),
            ([NAN, 1.0], [2.0, 3.0], 1.0),
            ([1.0], [9.0], 1.0),
        ],
    )
    def test_where_there_is_no_spread_or_no_data(self, first, second, expected):
        assert welch(jnp.array([first]), jnp.array([second]))[0] == expected


class TestTTest:
    CHOOSE = staticmethod(jax.jit(build_selection(TTestSelection(name="t_test"), 2)))

    def test_a_clear_difference_is_copied(self):
        returns = [[1.0, 2, 1, 2], [8.0, 9, 8, 9]]
        assert self.CHOOSE(jax.random.key(0), scores([1.5, 8.5], returns)).tolist() == [1, 1]

    def test_an_unclear_one_is_not(self):
        returns = [[1.0, 9, 1, 9], [2.0, 10, 2, 10]]
        assert self.CHOOSE(jax.random.key(0), scores([5.0, 6.0], returns)).tolist() == [0, 1]

    def test_who_has_no_fitness_is_replaced(self):
        assert self.CHOOSE(jax.random.key(0), scores([NAN, 6.0])).tolist() == [1, 1]


class TestCustom:
    def test_it_is_refused_unless_the_operator_allows_it(self, monkeypatch):
        monkeypatch.delenv("PHYLON_ALLOW_CUSTOM", raising=False)
        with pytest.raises(EngineError, match="does not allow"):
            build_selection(CustomSelection(name="custom", entry_point="mine"), 2)

    def test_an_unknown_name_is_told(self, monkeypatch):
        monkeypatch.setenv("PHYLON_ALLOW_CUSTOM", "1")
        with pytest.raises(EngineError, match="no entry point 'mine'"):
            build_selection(CustomSelection(name="custom", entry_point="mine"), 2)

    def test_an_installed_one_is_loaded(self, monkeypatch):
        from importlib.metadata import EntryPoint

        monkeypatch.setenv("PHYLON_ALLOW_CUSTOM", "1")
        point = EntryPoint(
            name="mine", value="phylon.worker.population.selection:best_first", group="phylon.selections"
        )
        assert load_entry_point("phylon.selections", "mine", lambda group: [point]) is best_first

    def test_what_it_says_is_held_to_slots_that_exist(self):
        assert valid_parents(jnp.array([7, -3, 1]), 3).tolist() == [2, 0, 1]


class TestMissing:
    """Members without fitness: those that diverged."""

    RULES = (
        TruncationSelection(name="truncation", bottom=0.25, top=0.25),
        WinnerTakesAll(name="winner_takes_all"),
        TTestSelection(name="t_test"),
        BinaryTournament(name="binary_tournament"),
    )

    @pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
    @pytest.mark.parametrize("missing", [[3], [0, 1, 2], [0, 1, 2, 4, 5, 6, 7]], ids=len)
    def test_are_all_replaced_and_never_donors(self, rule, missing):
        fitness = jnp.arange(8.0).at[jnp.array(missing)].set(NAN)
        choose = jax.jit(build_selection(rule, 8))
        for seed in range(20):
            parents = choose(jax.random.key(seed), scores(fitness)).tolist()
            assert not {parents[slot] for slot in range(8)} & set(missing), parents

    def test_of_truncation_descend_from_the_best(self):
        choose = build_selection(TruncationSelection(name="truncation", bottom=0.25, top=0.25), 8)
        fitness = jnp.arange(8.0).at[jnp.array([0, 1, 2, 3])].set(NAN)
        for seed in range(20):
            parents = choose(jax.random.key(seed), scores(fitness)).tolist()
            assert set(parents[:4]) <= {6, 7} and parents[4:] == [4, 5, 6, 7]

    def test_nobody_has_any(self):
        choose = build_selection(TruncationSelection(name="truncation", bottom=0.25, top=0.25), 4)
        assert choose(jax.random.key(0), scores([NAN] * 4)).tolist() == [0, 1, 2, 0]

    def test_without_any_missing_the_draws_are_those_of_the_rule_alone(self):
        fitness = jnp.arange(8.0)
        choose = build_selection(TruncationSelection(name="truncation", bottom=0.5, top=0.5), 8)
        for seed in range(20):
            plain = truncation(jax.random.key(seed), fitness, replaced=4, donors=4)
            assert choose(jax.random.key(seed), scores(fitness)).tolist() == plain.tolist()
            assert (
                plain[:4].tolist()
                == jax.random.choice(jax.random.key(seed), best_first(fitness)[:4], (4,))[::-1].tolist()
            )
