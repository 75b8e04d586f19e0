"""PBT by hand-made cases and by properties that hold for every population."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.spec import Choice, IntUniform, LogUniform, Uniform, bounds, parse_spec, tuned
from phylon.spec.selection import donors, replaced_members
from worker.population import build_method, operator_of, ranks, sample_hyperparams
from worker.population.hyperparams import prior
from worker.population.pbt import FACTOR, INHERIT, KEEP, RESAMPLE, best_first, explore, select

NAN, INFINITY = float("nan"), float("inf")

ALGORITHM = {
    "name": "td3",
    "policy_learning_rate": {"log_uniform": [3.0e-5, 3.0e-3]},
    "critic_learning_rate": {"log_uniform": [3.0e-5, 3.0e-3]},
    "discount": {"uniform": [0.9, 1.0]},
    "exploration_noise": {"uniform": [0.1, 0.3]},
    "policy_delay": {"int_uniform": [1, 5]},
    "target_noise": {"choice": [0.1, 0.2, 0.4]},
}
PERTURB = {"name": "perturb", "factors": [0.8, 1.2], "resample": 0.25}


def make_spec(size=8, bottom=0.25, top=0.25, explore=PERTURB):
    return parse_spec(
        {
            "version": 1,
            "name": "population",
            "kind": "training",
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": ALGORITHM,
            "population": {
                "size": size,
                "method": {
                    "name": "pbt",
                    "interval": 10_000,
                    "selection": {"name": "truncation", "bottom": bottom, "top": top},
                    "explore": explore,
                },
            },
            "budget": {"env_steps": 100_000},
        }
    )


SPEC = make_spec()
TUNED = tuned(SPEC.algorithm)


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


class TestSelect:
    def test_the_worst_copy_the_best(self, variant):
        choose = variant(lambda key, fitness: select(key, fitness, replaced=2, donors=1))
        assert choose(jax.random.key(0), jnp.array([3.0, 9.0, 1.0, NAN, 4.0])).tolist() == [0, 1, 1, 1, 4]

    def test_every_donor_is_drawn_equally_often(self):
        fitness = jnp.arange(40.0)
        keys = jax.random.split(jax.random.key(0), 300)
        parents = jax.vmap(lambda key: select(key, fitness, replaced=10, donors=4))(keys)
        drawn, counts = np.unique(parents[:, :10], return_counts=True)
        assert drawn.tolist() == [36, 37, 38, 39]
        np.testing.assert_allclose(counts / 3000, 0.25, atol=0.04)


PARENTS = jnp.array([1, 1, 1, 3], jnp.int32)
HYPERPARAMS = {
    "rate": jnp.array([0.1, 0.2, 0.3, 0.4]),
    "share": jnp.array([0.4, 0.3, 0.2, 0.1]),
    "fixed": jnp.array([1.0, 2.0, 3.0, 4.0]),
}


def run_explore(seed=0, factors=(0.8, 1.2), resample=0.0, parents=PARENTS, hyperparams=HYPERPARAMS):
    moves = {name: prior(Uniform(uniform=(0.0, 100.0))) for name in ("rate", "share")}
    return explore(jax.random.key(seed), parents, hyperparams, moves, factors, resample)


class TestExplore:
    def test_children_multiply_what_they_inherit_and_others_keep_theirs(self):
        values, codes = run_explore()
        for name, parent in {"rate": 0.2, "share": 0.3}.items():
            factors = [0.8, 1.2]
            for slot in (0, 2):
                assert values[name][slot] == pytest.approx(parent * factors[codes[name][slot] - FACTOR])
            assert values[name][1] == HYPERPARAMS[name][1]
            assert values[name][3] == HYPERPARAMS[name][3]
            assert codes[name][1] == codes[name][3] == KEEP

    def test_a_number_that_is_not_tuned_is_inherited(self):
        values, codes = run_explore()
        assert values["fixed"].tolist() == [2, 2, 2, 4]
        assert set(codes) == {"rate", "share"}

    def test_resampling_forgets_the_parent(self):
        values, codes = run_explore(resample=1.0)
        assert codes["rate"].tolist() == [RESAMPLE, KEEP, RESAMPLE, KEEP]
        drawn = [float(values[name][slot]) for name in ("rate", "share") for slot in (0, 2)]
        assert len(set(drawn)) == 4

    def test_every_member_and_hyperparameter_draws_for_itself(self):
        size = 400
        parents = jnp.concatenate([jnp.full(size - 1, size - 1, jnp.int32), jnp.array([size - 1], jnp.int32)])
        hyperparams = {name: jnp.ones(size) for name in HYPERPARAMS}
        _, codes = run_explore(parents=parents, hyperparams=hyperparams, resample=0.25)
        rate, share = (np.asarray(codes[name][:-1]) for name in ("rate", "share"))
        for code, probability in {RESAMPLE: 0.25, FACTOR: 0.375, FACTOR + 1: 0.375}.items():
            assert np.mean(rate == code) == pytest.approx(probability, abs=0.08)
            both = np.mean((rate == code) & (share == code))
            assert both == pytest.approx(probability**2, abs=0.06)  # independent of each other

    def test_a_move_that_ends_where_it_began_is_inheritance(self):
        hyperparams = HYPERPARAMS | {"rate": jnp.full(4, 100.0)}  # at the upper bound
        values, codes = run_explore(factors=(1.2, 1.5), hyperparams=hyperparams)
        assert codes["rate"].tolist() == [INHERIT, KEEP, INHERIT, KEEP]
        assert values["rate"].tolist() == [100.0] * 4


@cache
def compiled(size, bottom, top, explore_name):
    spec = make_spec(size, bottom, top, PERTURB if explore_name == "perturb" else {"name": explore_name})
    method = build_method(spec)
    draw = jax.jit(lambda key: sample_hyperparams(key, spec.algorithm, size))
    return spec, method, draw, jax.jit(method.evolve)


def as_numpy(tree):
    return jax.tree.map(np.asarray, tree)


# no subnormal numbers: XLA takes them for zero
fitness_values = st.one_of(
    st.floats(width=32, allow_nan=True, allow_infinity=True, allow_subnormal=False),
    st.sampled_from([0.0, 1.0]),  # ties are common
)
populations = st.sampled_from(
    [(2, 0.5, 0.5, "perturb"), (5, 0.4, 0.2, "perturb"), (8, 0.25, 0.25, "perturb"), (9, 0.5, 0.5, "resample")]
)


@settings(max_examples=150, deadline=None)
@given(st.data(), populations, st.integers(0, 2**31 - 1))
def test_properties(data, population, seed):
    size, *_, explore_name = population
    spec, method, draw, evolve = compiled(*population)
    selection = spec.population.method.selection
    fitness = np.array(data.draw(st.lists(fitness_values, min_size=size, max_size=size)), np.float32)
    before = draw(jax.random.key(seed))
    state = method.init(jax.random.key(0), before)
    plan = as_numpy(evolve(jax.random.key(seed), state, before, fitness))
    before = as_numpy(before)

    # sizes are kept and parents are valid
    assert plan.parents.shape == (size,)
    assert plan.parents.dtype == np.int32
    assert set(plan.hyperparams) == set(before)
    assert all(values.shape == (size,) and values.dtype == np.float32 for values in plan.hyperparams.values())
    assert set(plan.parents) <= set(range(size))

    # only the bottom is replaced, only by the top, and the best lives on
    ranking = as_numpy(ranks(jnp.asarray(fitness)))
    children = np.flatnonzero(plan.parents != np.arange(size))
    assert set(ranking[children]) == set(range(size - replaced_members(size, selection), size))
    assert np.all(ranking[plan.parents[children]] < donors(size, selection))
    best = int(np.flatnonzero(ranking == 0)[0])
    assert plan.parents[best] == best
    if not np.isnan(fitness).all():
        assert fitness[best] == np.nanmax(fitness)

    # whoever lives on keeps every number; bounds are never left, as float64 too
    survivors = np.setdiff1d(np.arange(size), children)
    for name, values in plan.hyperparams.items():
        np.testing.assert_array_equal(values[survivors], before[name][survivors])
        if name not in TUNED:
            np.testing.assert_array_equal(values, before[name])
    for name, distribution in TUNED.items():
        values = plan.hyperparams[name].astype(np.float64)
        match distribution:
            case Uniform() | LogUniform() | IntUniform():
                low, high = bounds(distribution)
                assert np.all((low <= values) & (values <= high)), f"{name} = {values} leaves [{low}, {high}]"
                if isinstance(distribution, IntUniform):
                    assert np.all(values == np.round(values))
            case Choice(choice=listed):
                assert set(values) <= {float(np.float32(value)) for value in listed}

    # the same key gives the same plan
    again = as_numpy(evolve(jax.random.key(seed), state, before, fitness))
    assert jax.tree.all(jax.tree.map(np.array_equal, plan, again))

    # and the words say what was done
    words = method.describe(plan)
    assert [bool(changes) for changes in words] == [slot in children for slot in range(size)]
    for slot in children:
        assert list(words[slot]) == list(TUNED)
        assert_words_are_true(words[slot], slot, plan, before)
        if explore_name == "resample":
            assert operator_of(words[slot]) == "resample"


def assert_words_are_true(words, slot, plan, before):
    for name, word in words.items():
        parent, child = before[name][plan.parents[slot]], plan.hyperparams[name][slot]
        low, high = bounds(TUNED[name])
        match word:
            case "inherit":
                assert child == parent
            case "x0.8":
                assert max(low, parent * 0.6) <= child < parent or child == parent - 1  # whole numbers move by one
            case "x1.2":
                assert parent < child <= min(high, parent * 1.4) or child == parent + 1
            case "next" | "previous":
                listed = [np.float32(value) for value in TUNED[name].choice]
                assert listed.index(child) - listed.index(parent) == (1 if word == "next" else -1)
            case _:
                assert word == "resample"


def test_evolution_differs_with_the_key():
    _, method, draw, evolve = compiled(8, 0.25, 0.25, "perturb")
    hyperparams = draw(jax.random.key(0))
    plans = [evolve(jax.random.key(seed), (), hyperparams, jnp.arange(8.0)) for seed in range(8)]
    assert len({tuple(plan.parents.tolist()) for plan in plans}) > 1
    assert len({tuple(plan.hyperparams["exploration_noise"].tolist()) for plan in plans}) > 4
    assert method.init(jax.random.key(0), hyperparams) == ()


@pytest.mark.parametrize(
    ("changes", "operator"),
    [
        ({"a": "x0.8", "b": "resample"}, "perturb"),
        ({"a": "resample", "b": "resample"}, "resample"),
        ({"a": "inherit", "b": "inherit"}, "copy"),
        ({"a": "inherit", "b": "next"}, "perturb"),
        ({"a": "inherit", "b": "resample"}, "perturb"),
    ],
)
def test_the_operator_sums_up_the_changes(changes, operator):
    assert operator_of(changes) == operator
