"""BG-PBT's core as the loop calls it: properties of every plan over a life of many rounds."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import Choice, IntUniform, SpecInvalid, bounds, parse_spec, tuned
from phylon.worker.population import PopulationScores, build_method, ranks, sample_hyperparams

SIZE, WINDOW = 8, 24
NUMBERS = {
    "policy_learning_rate": {"log_uniform": [3.0e-5, 3.0e-3]},
    "exploration_noise": {"uniform": [0.1, 0.3]},
    "policy_delay": {"int_uniform": [1, 5]},
}
CATEGORIES = {"target_noise": {"choice": [0.2, 0.1, 0.4]}, "target_noise_clip": {"choice": [0.5, 0.3]}}
TUNED = {"numbers": NUMBERS, "categories": CATEGORIES, "mixed": NUMBERS | CATEGORIES}


def make_spec(algorithm, size=SIZE, **settings):
    method = {"name": "bg_pbt", "interval": 10_000, "window": WINDOW, **settings}
    return parse_spec(
        {
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": {"name": "td3", **algorithm},
            "population": {"size": size, "method": method},
            "budget": 100_000,
        }
    )


@cache
def lived(name, rounds=6):
    """(before, fitness, plan) of each round, one of them with members that have no fitness."""
    spec = make_spec(TUNED[name])
    method, traces = build_method(spec), []

    def traced(key, state, hyperparams, fitness):
        traces.append(1)
        return method.evolve(key, state, hyperparams, PopulationScores(np.int32(0), fitness, fitness[:, None]))

    evolve = jax.jit(traced, compiler_options={"xla_backend_optimization_level": 0})
    hyperparams = sample_hyperparams(jax.random.key(0), spec.algorithm, SIZE)
    state, random, history = method.init(jax.random.key(0), hyperparams), np.random.default_rng(0), []
    fitness = np.zeros(SIZE, np.float32)
    for round in range(rounds):
        fitness = fitness + random.normal(1, 1, SIZE).astype(np.float32)
        if round == 3:
            fitness[:2] = np.nan, -np.inf
        plan = jax.device_get(evolve(jax.random.key(round), state, hyperparams, fitness))
        history.append((jax.device_get(hyperparams), fitness, plan))
        state, hyperparams, fitness = plan.method_state, plan.hyperparams, fitness[plan.parents]
    assert len(traces) == 1  # nothing is compiled twice
    return spec, method, history


@pytest.mark.parametrize("name", TUNED)
class TestEveryPlan:
    def test_the_worst_copies_the_best(self, name):
        for _, fitness, plan in lived(name)[2]:
            ranking = np.asarray(ranks(jnp.asarray(fitness)))
            children = np.flatnonzero(plan.parents != np.arange(SIZE))
            assert ranking[children].tolist() == [SIZE - 1]  # an eighth of eight
            assert ranking[plan.parents[children]].tolist() == [0]

    def test_values_are_legal_and_survivors_keep_theirs(self, name):
        spec, _, history = lived(name)
        for before, _, plan in history:
            survivors = plan.parents == np.arange(SIZE)
            for field, values in plan.hyperparams.items():
                assert values.dtype == np.float32
                np.testing.assert_array_equal(values[survivors], before[field][survivors])
            for field, distribution in tuned(spec.algorithm).items():
                values = plan.hyperparams[field].astype(np.float64)
                if isinstance(distribution, Choice):
                    assert set(values) <= {float(np.float32(value)) for value in distribution.choice}
                else:
                    assert np.all((bounds(distribution).low <= values) & (values <= bounds(distribution).high))
                assert not isinstance(distribution, IntUniform) or np.all(values == np.round(values))

    def test_until_each_member_was_seen_once_values_are_drawn(self, name):
        """The first round has no start to count a gain from; then there are eight rows."""
        spec, method, history = lived(name)
        for round, (_, _, plan) in enumerate(history):
            (birth,) = filter(None, method.describe(plan))
            word, operator = ("model", "suggest") if round else ("resample", "resample")
            assert birth.changes == dict.fromkeys(tuned(spec.algorithm), word)
            assert birth.operator == operator
            is_child = plan.parents != np.arange(SIZE)
            np.testing.assert_array_equal(plan.method_state.is_suggested, is_child if round else np.zeros(SIZE, bool))

    def test_reasons_are_given_for_suggestions_alone(self, name):
        expected = {"predicted_mean", "predicted_deviation", "acquisition", "trust_region", "time_decay"}
        expected |= {f"length_scale/{field}" for field in TUNED[name] if field in NUMBERS}
        for round, (_, _, plan) in enumerate(lived(name)[2]):
            assert set(plan.reasons) == expected
            is_child = plan.parents != np.arange(SIZE)
            for values in plan.reasons.values():
                assert values.shape == (SIZE,) and values.dtype == np.float32
                np.testing.assert_array_equal(np.isfinite(values), is_child if round else np.zeros(SIZE, bool))


def test_values_that_are_tuned_by_nobody_follow_the_weights_unchanged():
    for before, _, plan in lived("numbers")[2]:
        np.testing.assert_array_equal(plan.hyperparams["discount"], before["discount"])


def test_who_was_reset_teaches_nothing():
    spec = make_spec(CATEGORIES)
    method = build_method(spec)
    hyperparams = sample_hyperparams(jax.random.key(0), spec.algorithm, SIZE)
    state = method.init(jax.random.key(0), hyperparams)._replace(start=jnp.zeros(SIZE))
    fitness, was_reset = jnp.arange(SIZE, dtype=jnp.float32), jnp.arange(SIZE) < 3
    evolve = jax.jit(method.evolve, compiler_options={"xla_backend_optimization_level": 0})
    scores = PopulationScores(jnp.int32(0), fitness, fitness[:, None], was_reset)
    seen = evolve(jax.random.key(0), state, hyperparams, scores).method_state.observations
    assert sorted(np.asarray(seen.gain)[np.asarray(seen.is_there)]) == list(range(3, SIZE))


def test_starting_again_forgets_what_was_seen_and_keeps_everyone():
    spec = make_spec(NUMBERS, trust_region={"patience": 3})
    method = build_method(spec)
    evolve = jax.jit(method.evolve, compiler_options={"xla_backend_optimization_level": 0})
    hyperparams = sample_hyperparams(jax.random.key(0), spec.algorithm, SIZE)
    state, rows = method.init(jax.random.key(0), hyperparams), []
    fitness = jnp.arange(SIZE, dtype=jnp.float32)
    for round in range(5):
        scores = PopulationScores(jnp.int32(0), fitness, fitness[:, None])
        plan = evolve(jax.random.key(round), state, hyperparams, scores)
        state, hyperparams = plan.method_state, plan.hyperparams
        rows.append(int(np.sum(state.observations.is_there)))
        assert np.sum(plan.parents != np.arange(SIZE)) == 1
    assert rows == [0, 8, 16, 0, 8]  # the same best for three rounds
    assert state.region.side == pytest.approx(0.4)
    births = method.describe(jax.device_get(plan))
    assert [birth.operator for birth in births if birth] == ["suggest"]


class TestSpec:
    def test_defaults_are_the_authors(self):
        method = parse_spec(
            {
                "environment": "HalfCheetah-v5",
                "algorithm": "ppo",
                "population": {"size": 8, "method": "bg_pbt"},
                "budget": "1M",
            }
        ).population.method
        assert (method.selection.bottom, method.selection.top, method.window, method.optimism) == (0.125, 0.125, 100, 3)
        region = method.trust_region
        assert (region.initial, region.smallest, region.largest, region.factor) == (0.4, 0.15, 1.0, 1.5)
        assert (region.successes, region.failures, region.patience) == (3, 10, 15)

    def test_a_small_population_still_replaces_someone(self):
        assert make_spec(NUMBERS, size=3).population.method.selection.bottom == pytest.approx(1 / 3)

    def refusal(self, *arguments, **settings):
        with pytest.raises(SpecInvalid) as caught:
            make_spec(*arguments, **settings)
        return {problem["path"]: problem["remedy"] for problem in caught.value.problems}

    def test_refusals_say_what_to_do(self):
        assert "at least 32" in self.refusal(NUMBERS, size=32)["population.method.window"]
        found = self.refusal(NUMBERS, trust_region={"initial": 0.1})
        assert "smallest < initial" in found["population.method.trust_region"]
