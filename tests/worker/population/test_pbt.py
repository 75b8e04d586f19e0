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
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.population import PopulationScores, build_method, ranks, sample_hyperparams
from phylon.worker.population.hyperparams import LEAST_SHARE
from phylon.worker.population.pbt import operator_of

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


@cache
def compiled(size, bottom, top, explore_name):
    spec = make_spec(size, bottom, top, PERTURB if explore_name == "perturb" else {"name": explore_name})
    method = build_method(spec)
    draw = jax.jit(lambda key: sample_hyperparams(key, spec.algorithm, size), compiler_options=fast_compile_options())
    return spec, method, draw, jax.jit(method.evolve, compiler_options=fast_compile_options())


def scores(fitness):
    fitness = np.asarray(fitness, np.float32)
    return PopulationScores(np.int32(10_000), fitness, np.repeat(fitness[:, None], 3, axis=1))


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


@settings(max_examples=100, deadline=None)
@given(st.data(), populations, st.integers(0, 2**31 - 1) | st.just(1048576))  # there a discount of 0.99993 moves
def test_properties(data, population, seed):
    size, *_, explore_name = population
    spec, method, draw, evolve = compiled(*population)
    selection = spec.population.method.selection
    fitness = np.array(data.draw(st.lists(fitness_values, min_size=size, max_size=size)), np.float32)
    before = draw(jax.random.key(seed))
    state = method.init(jax.random.key(0), before)
    plan = as_numpy(evolve(jax.random.key(seed), state, before, scores(fitness)))
    before = as_numpy(before)

    # sizes are kept and parents are valid
    assert plan.parents.shape == (size,)
    assert plan.parents.dtype == np.int32
    assert set(plan.hyperparams) == set(before)
    assert all(values.shape == (size,) and values.dtype == np.float32 for values in plan.hyperparams.values())
    assert set(plan.parents) <= set(range(size))

    # only the bottom is replaced, and whoever has no fitness while others have one; only by the top; the best lives on
    ranking = as_numpy(ranks(jnp.asarray(fitness)))
    children = np.flatnonzero(plan.parents != np.arange(size))
    without = 0 if np.isnan(fitness).all() else int(np.isnan(fitness).sum())
    replaced = max(replaced_members(size, selection), without)
    assert set(ranking[children]) == set(range(size - replaced, size))
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
    again = as_numpy(evolve(jax.random.key(seed), state, before, scores(fitness)))
    assert jax.tree.all(jax.tree.map(np.array_equal, plan, again))

    # and the words say what was done
    births = method.describe(plan)
    assert [birth is not None for birth in births] == [slot in children for slot in range(size)]
    for slot in children:
        assert list(births[slot].changes) == list(TUNED)
        assert_words_are_true(births[slot].changes, slot, plan, before)
        if explore_name == "resample":
            assert births[slot].operator == "resample"


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
            case "1-x x0.8" | "1-x x1.2":
                # next to 1 as if it were as far from it as the least share of the range
                step = 0.2 * max(1 - parent, LEAST_SHARE * (high - low))
                assert np.sign(child - parent) == (1 if word == "1-x x0.8" else -1)
                assert abs(child - parent) <= step + 1e-6  # the spacing of float32 below 1, with some room
            case "next" | "previous":
                listed = [np.float32(value) for value in TUNED[name].choice]
                assert listed.index(child) - listed.index(parent) == (1 if word == "next" else -1)
            case _:
                assert word == "resample"


def test_evolution_differs_with_the_key():
    _, method, draw, evolve = compiled(8, 0.25, 0.25, "perturb")
    hyperparams = draw(jax.random.key(0))
    plans = [evolve(jax.random.key(seed), (), hyperparams, scores(jnp.arange(8.0))) for seed in range(8)]
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
