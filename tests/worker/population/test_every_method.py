"""What holds for every method that plans copies: sizes, parents, bounds, the best, the key."""

from functools import cache

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.spec import Choice, IntUniform, bounds, parse_spec, tuned
from phylon.worker.population import PopulationScores, build_method, sample_hyperparams

SIZE, EPISODES = 8, 3
NUMBERS = {
    "policy_learning_rate": {"log_uniform": [3.0e-5, 3.0e-3]},
    "discount": {"uniform": [0.9, 1.0]},
    "policy_delay": {"int_uniform": [1, 5]},
}
MIXED = NUMBERS | {"target_noise": {"choice": [0.1, 0.2, 0.4]}}
METHODS = {
    "truncation": {"name": "pbt"},
    "winner takes all": {"name": "pbt", "selection": {"name": "winner_takes_all"}, "explore": {"name": "triangular"}},
    "t-test": {"name": "pbt", "selection": {"name": "t_test"}, "explore": {"name": "gaussian"}},
    "tournament": {"name": "pbt", "selection": {"name": "binary_tournament"}, "explore": {"name": "resample"}},
    "everyone explores": {"name": "pbt", "selection": {"name": "none"}, "explorers": "everyone"},
    "no-op": {"name": "no_op"},
    "mf-pbt": {"name": "mf_pbt", "frequencies": [1, 2]},
    "pb2": {"name": "pb2", "window": 16},
    "pb2-mix": {"name": "pb2_mix", "window": 16},
}
KEEPS_THE_BEST = set(METHODS) - {"everyone explores"}
"""All of these; the last lets the best explore as well, but nobody takes its weights away."""


@cache
def compiled(name):
    method = METHODS[name] | {"interval": 10_000}
    spec = parse_spec(
        {
            "version": 1,
            "name": "population",
            "kind": "training",
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": {"name": "td3", **(NUMBERS if name == "pb2" else MIXED)},
            "population": {"size": SIZE, "method": method},
            "budget": {"env_steps": 100_000},
            "evaluation": {"episodes": EPISODES},
        }
    )
    built = build_method(spec)
    founders = jax.device_get(sample_hyperparams(jax.random.key(0), spec.algorithm, SIZE))
    evolve = jax.jit(built.evolve, compiler_options={"xla_backend_optimization_level": 0})
    return spec, built, evolve, founders, jax.device_get(built.init(jax.random.key(0), founders))


returns = st.floats(-1e6, 1e6, width=32, allow_subnormal=False) | st.sampled_from([0.0, 1.0, float("nan")])
tables = st.lists(st.lists(returns, min_size=EPISODES, max_size=EPISODES), min_size=SIZE, max_size=SIZE)


@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=12, deadline=None)
@given(table=tables, seed=st.integers(0, 2**31 - 1))
def test_plans_are_sound(name, table, seed):
    spec, method, evolve, before, state = compiled(name)
    episodes = np.array(table, np.float32)
    fitness = episodes.mean(axis=1)
    scores = PopulationScores(np.int32(10_000), fitness, episodes)
    plan = jax.device_get(evolve(jax.random.key(seed), state, before, scores))

    assert plan.parents.shape == (SIZE,)
    assert set(plan.parents.tolist()) <= set(range(SIZE))
    assert set(plan.hyperparams) == set(before)
    assert jax.tree.structure(plan.method_state) == jax.tree.structure(state)
    for field, distribution in tuned(spec.algorithm).items():
        values = plan.hyperparams[field].astype(np.float64)
        assert values.shape == (SIZE,)
        if isinstance(distribution, Choice):
            assert set(values) <= {float(np.float32(value)) for value in distribution.choice}
        else:
            assert np.all((bounds(distribution).low <= values) & (values <= bounds(distribution).high))
            assert not isinstance(distribution, IntUniform) or np.all(values == np.round(values))
    for field in set(before) - set(tuned(spec.algorithm)):
        np.testing.assert_array_equal(plan.hyperparams[field], before[field])

    if not np.isnan(fitness).all():  # the best weights are never lost
        best = int(np.nanargmax(fitness))
        assert fitness[plan.parents].tolist().count(fitness[best]) >= 1
        if name in KEEPS_THE_BEST:
            assert plan.parents[best] == best or fitness[plan.parents[best]] == fitness[best]

    births = method.describe(plan)
    for slot, birth in enumerate(births):
        is_changed = any(plan.hyperparams[field][slot] != before[field][slot] for field in before)
        assert birth is not None or (plan.parents[slot] == slot and not is_changed)

    again = jax.device_get(evolve(jax.random.key(seed), state, before, scores))
    assert jax.tree.all(jax.tree.map(lambda a, b: np.array_equal(a, b, equal_nan=True), plan, again))
