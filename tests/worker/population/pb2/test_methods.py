"""The methods of the family as the loop calls them: properties of every plan, whatever the fitness."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import Choice, IntUniform, SpecInvalid, bounds, parse_spec, tuned
from phylon.worker.population import PopulationScores, build_method, ranks, sample_hyperparams
from phylon.worker.population.timing import Progress, is_due

SIZE, REPLACED, WINDOW = 8, 2, 24
NUMBERS = {
    "policy_learning_rate": {"log_uniform": [3.0e-5, 3.0e-3]},
    "exploration_noise": {"uniform": [0.1, 0.3]},
    "policy_delay": {"int_uniform": [1, 5]},
}
CATEGORIES = {"target_noise": {"choice": [0.2, 0.1, 0.4]}, "target_noise_clip": {"choice": [0.5, 0.3]}}
TUNED = {
    "pb2": NUMBERS,
    # no numbers: categories alone
    "pb2_rand": CATEGORIES,
    "pb2_fixed": CATEGORIES,
    "pb2_mult": CATEGORIES,
    "pb2_indep": NUMBERS | CATEGORIES,
    "pb2_mix": NUMBERS | CATEGORIES,
}
METHODS = sorted(TUNED)
NAN = float("nan")
NOBODY = np.zeros(SIZE, bool)


def make_spec(name, algorithm, size=SIZE, resets=None, **settings):
    return parse_spec(
        {
            "version": 1,
            "name": "population",
            "kind": "training",
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": {"name": "td3", **algorithm},
            "population": {"size": size, "method": {"name": name, "interval": 10_000, "window": WINDOW} | settings},
            "budget": {"env_steps": 100_000},
            "resets": resets,
        }
    )


@cache
def compiled(name):
    spec = make_spec(name, TUNED[name])
    method = build_method(spec)
    traces = []

    def traced(key, state, hyperparams, fitness, was_reset):
        traces.append(1)
        scores = PopulationScores(np.int32(0), fitness, fitness[:, None], was_reset)
        return method.evolve(key, state, hyperparams, scores)

    program = jax.jit(traced, compiler_options={"xla_backend_optimization_level": 0})

    def evolve(key, state, hyperparams, fitness, was_reset=NOBODY):
        return program(key, state, hyperparams, fitness, was_reset)

    founders = sample_hyperparams(jax.random.key(0), spec.algorithm, SIZE)
    return spec, method, evolve, founders, traces


@cache
def lived(name):
    """Five evolutions, one of them with members that have no fitness: (before, fitness, plan) of each."""
    _, method, evolve, hyperparams, _ = compiled(name)
    state, random, history = method.init(jax.random.key(0), hyperparams), np.random.default_rng(0), []
    fitness = np.zeros(SIZE, np.float32)
    for round in range(5):
        fitness = fitness + random.normal(1, 1, SIZE).astype(np.float32)
        if round == 2:
            fitness[:3] = NAN, -np.inf, NAN
        plan = jax.device_get(evolve(jax.random.key(round), state, hyperparams, fitness))
        history.append((jax.device_get(hyperparams), fitness, plan))
        state, hyperparams, fitness = plan.method_state, plan.hyperparams, fitness[plan.parents]
    return history


@pytest.mark.parametrize("name", METHODS)
class TestEveryMethod:
    def test_selection_is_truncation(self, name):
        for _, fitness, plan in lived(name):
            ranking = np.asarray(ranks(jnp.asarray(fitness)))
            children = np.flatnonzero(plan.parents != np.arange(SIZE))
            assert set(ranking[children]) == {SIZE - 2, SIZE - 1}
            assert np.all(ranking[plan.parents[children]] < 2)

    def test_bounds_are_kept_and_survivors_keep_their_values(self, name):
        spec = compiled(name)[0]
        for before, _, plan in lived(name):
            survivors = plan.parents == np.arange(SIZE)
            for field, values in plan.hyperparams.items():
                assert values.dtype == np.float32
                np.testing.assert_array_equal(values[survivors], before[field][survivors])
            for field, distribution in tuned(spec.algorithm).items():
                values = plan.hyperparams[field].astype(np.float64)
                low, high = bounds(distribution)
                if isinstance(distribution, Choice):
                    assert set(values) <= {float(np.float32(value)) for value in distribution.choice}
                else:
                    assert np.all((low <= values) & (values <= high)), field
                if isinstance(distribution, IntUniform):
                    assert np.all(values == np.round(values))

    def test_words_say_what_was_done(self, name):
        spec, method, *_ = compiled(name)
        for round, (_, _, plan) in enumerate(lived(name)):
            births = method.describe(plan)
            assert [birth is not None for birth in births] == (plan.parents != np.arange(SIZE)).tolist()
            number = "model" if round else "resample"  # nothing is known at first
            category = {"bandit"}
            if name == "pb2_rand":
                category = {"inherit", "resample"} if round else {"resample"}
            elif name == "pb2_fixed":
                category = {"fixed"}
            for birth in filter(None, births):
                assert set(birth.changes) == set(tuned(spec.algorithm))
                for field, word in birth.changes.items():
                    assert word in (category if field in CATEGORIES else {number})
                words = set(birth.changes.values())
                plain = "resample" if "resample" in words else "copy"
                assert birth.operator == ("suggest" if {"model", "bandit"} & words else plain)

    def test_reasons_are_given_for_children_alone(self, name):
        expected = set()
        if name in ("pb2", "pb2_indep", "pb2_mix"):
            expected |= {"predicted_mean", "predicted_deviation", "acquisition", "length_scale", "time_decay"}
        if name == "pb2_mix":
            expected |= {"mix", "category_time_decay"}
        if name in ("pb2_indep", "pb2_mult", "pb2_mix"):
            expected |= {f"bandit_{what}/{field}" for what in ("weight", "probability") for field in CATEGORIES}
        for round, (_, _, plan) in enumerate(lived(name)):
            assert set(plan.reasons) == expected
            is_child = plan.parents != np.arange(SIZE)
            for reason, values in plan.reasons.items():
                assert values.shape == (SIZE,) and values.dtype == np.float32
                is_given = is_child if round or reason.startswith("bandit") else np.zeros(SIZE, bool)
                np.testing.assert_array_equal(np.isfinite(values), is_given)

    def test_the_same_key_gives_the_same_plan_and_another_one_another(self, name):
        evolve = compiled(name)[2]
        before, fitness, plan = lived(name)[-1]
        state = lived(name)[-2][2].method_state
        again = jax.device_get(evolve(jax.random.key(4), state, before, fitness))
        assert jax.tree.all(jax.tree.map(lambda x, y: np.array_equal(x, y, equal_nan=True), plan, again))
        others = [jax.device_get(evolve(jax.random.key(100 + i), state, before, fitness)).hyperparams for i in range(4)]
        is_another = any(not np.array_equal(other[f], plan.hyperparams[f]) for other in others for f in TUNED[name])
        assert is_another == (name != "pb2_fixed")  # whose categories nothing changes

    def test_the_state_keeps_its_shape_and_learns_from_finite_gains_alone(self, name):
        _, method, _, hyperparams, traces = compiled(name)
        fresh = method.init(jax.random.key(0), hyperparams)
        for _, _, plan in lived(name):
            shapes = jax.tree.map(lambda x, y: (x.shape, x.dtype) == (y.shape, y.dtype), fresh, plan.method_state)
            assert jax.tree.all(shapes)
            assert np.all(np.isfinite(plan.method_state.observations.gain))
        assert len(traces) == 1  # nothing is compiled twice
        # 8 of each round but the first; 3 had no end in the third, and those that lived on no start in the fourth
        missing = int(np.sum(~np.isfinite(lived(name)[2][1][lived(name)[2][2].parents])))
        state = lived(name)[3][2].method_state
        assert np.sum(state.observations.is_there) == min(WINDOW, 24 - 3 - missing)

    def test_a_population_without_any_fitness_goes_on(self, name):
        _, method, evolve, hyperparams, _ = compiled(name)
        state = method.init(jax.random.key(0), hyperparams)
        for round in range(2):
            plan = jax.device_get(evolve(jax.random.key(round), state, hyperparams, np.full(SIZE, NAN, np.float32)))
            state, hyperparams = plan.method_state, plan.hyperparams
        assert all(np.all(np.isfinite(values)) for values in plan.hyperparams.values())
        assert not np.any(plan.method_state.observations.is_there)

    def test_it_is_due_at_its_intervals(self, name):
        method = make_spec(name, TUNED[name], burn_in=20_000).population.method
        steps = range(5_000, 40_001, 5_000)
        due = [step for step in steps if is_due(method, Progress(step - 5_000, 0, 0), Progress(step, 0, 0))]
        assert due == [20_000, 30_000, 40_000]


def test_a_start_is_that_of_the_copied_weights():
    """A child's gain counts from its parent's fitness, not from that of the member which it replaced."""
    _, fitness, plan = lived("pb2")[0]
    np.testing.assert_array_equal(plan.method_state.start, fitness[plan.parents])


def test_who_was_reset_teaches_nothing_until_its_next_interval():
    """The loss of a reset is no gain of the hyper-parameters, and the interval after it counts from where it began."""
    evolve = compiled("pb2_mix")[2]
    _, fitness, plan = lived("pb2_mix")[0]
    half = np.arange(SIZE) < SIZE // 2
    after = np.where(half, -100.0, fitness[plan.parents] + 1).astype(np.float32)
    second = jax.device_get(evolve(jax.random.key(1), plan.method_state, plan.hyperparams, after, half))
    seen = second.method_state.observations
    assert seen.is_there.sum() == SIZE // 2
    np.testing.assert_allclose(seen.gain[seen.is_there], 1, rtol=1e-5)
    third = jax.device_get(
        evolve(jax.random.key(2), second.method_state, second.hyperparams, after[second.parents] + 2)
    )
    seen = third.method_state.observations
    assert seen.is_there.sum() == SIZE // 2 + SIZE
    np.testing.assert_allclose(seen.gain[seen.is_there & (seen.round == 3)], 2, rtol=1e-5)


def test_categories_of_a_round_are_drawn_together():
    """Two members are replaced and there are two clips: dependent rounding gives each of them one."""
    for _, _, plan in lived("pb2_mix")[:1]:
        children = plan.parents != np.arange(SIZE)
        assert set(plan.hyperparams["target_noise_clip"][children]) == {np.float32(0.5), np.float32(0.3)}


def test_fixed_categories_stay_with_their_slots():
    for before, _, plan in lived("pb2_fixed"):
        for field in CATEGORIES:
            np.testing.assert_array_equal(plan.hyperparams[field], before[field])
            np.testing.assert_array_equal(plan.explored_from[field], before[field])
        assert np.any(plan.parents != np.arange(SIZE))


@pytest.mark.parametrize("name", ["pb2_indep", "pb2_mix"])
def test_a_model_that_is_independent_of_categories_does_not_look_at_them(name):
    """What was observed is told under other categories: the numbers of copies stay only if the model is blind."""
    evolve = compiled(name)[2]
    before, fitness, plan = lived(name)[-1]
    state = lived(name)[-2][2].method_state
    seen = state.observations
    mixed_up = state._replace(observations=seen._replace(categories=seen.categories[::-1]))
    other = jax.device_get(evolve(jax.random.key(4), mixed_up, before, fitness))
    is_same = [np.array_equal(other.hyperparams[field], plan.hyperparams[field]) for field in NUMBERS]
    assert all(is_same) == (name == "pb2_indep")


def test_a_bandit_learns_without_a_model_that_looks():
    """One clip gains in every round and the other loses: the bandit of `pb2_indep` comes to prefer it."""
    _, method, evolve, hyperparams, _ = compiled("pb2_indep")
    state, fitness = method.init(jax.random.key(0), hyperparams), np.zeros(SIZE, np.float32)
    for round in range(8):
        fitness = fitness + np.where(np.asarray(hyperparams["target_noise_clip"]) > 0.4, 1.0, -1.0).astype(np.float32)
        plan = jax.device_get(evolve(jax.random.key(round), state, hyperparams, fitness))
        state, hyperparams, fitness = plan.method_state, plan.hyperparams, fitness[plan.parents]
    high, low = state.bandits["target_noise_clip"].weights
    assert high > 0.6 > low


class TestRefusals:
    def problems(self, *arguments, **settings):
        with pytest.raises(SpecInvalid) as caught:
            make_spec(*arguments, **settings)
        return {problem["path"]: problem["remedy"] for problem in caught.value.problems}

    def test_pb2_has_no_place_for_a_choice(self):
        found = self.problems("pb2", NUMBERS | CATEGORIES)
        assert set(found) == {"algorithm.target_noise", "algorithm.target_noise_clip"}
        assert "pb2_mix" in found["algorithm.target_noise"]

    @pytest.mark.parametrize("name", sorted(set(METHODS) - {"pb2"}))
    def test_the_others_need_one(self, name):
        assert "use pb2" in self.problems(name, NUMBERS)["population.method.name"]

    @pytest.mark.parametrize("name", METHODS)
    def test_something_must_be_tuned_and_donors_are_not_replaced(self, name):
        assert set(self.problems(name, {})) == {"algorithm"}
        selection = {"name": "truncation", "bottom": 0.5, "top": 0.75}
        found = self.problems(name, TUNED[name], size=4, selection=selection)
        assert set(found) == {"population.method.selection.top"}

    def test_the_window_holds_a_round(self):
        assert set(self.problems("pb2", NUMBERS, size=32)) == {"population.method.window"}

    def test_some_interval_has_no_reset(self):
        """An interval of 10,000 steps has as many updates."""
        assert set(self.problems("pb2", NUMBERS, resets={"interval": 10_000})) == {"resets.interval"}
        assert make_spec("pb2", NUMBERS, resets={"interval": 10_001}).resets.interval == 10_001
        in_updates = {"unit": "updates", "interval": 500}
        assert set(self.problems("pb2", NUMBERS, resets={"interval": 500}, **in_updates)) == {"resets.interval"}
