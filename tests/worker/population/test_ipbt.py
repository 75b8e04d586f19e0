"""IPBT as the loop calls it: when it selects, when it starts again, and with what."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import SpecInvalid, parse_spec, tuned
from phylon.worker.population import PopulationScores, build_method, sample_hyperparams

SIZE, INTERVAL = 8, 1000
TUNED = {
    "policy_learning_rate": {"log_uniform": [3.0e-5, 3.0e-3]},
    "exploration_noise": {"uniform": [0.0, 1.0]},
    "target_noise": {"choice": [0.2, 0.1, 0.4]},
}


def make_spec(budget=20, algorithm="td3", **settings):
    return parse_spec(
        {
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": {"name": algorithm, **TUNED},
            "population": {"size": SIZE, "method": {"name": "ipbt", "interval": INTERVAL, **settings}},
            "budget": budget * INTERVAL,
            "evaluation": INTERVAL,
        }
    )


@cache
def lived(budget=20):
    """A population that never gains: (fitness, before, plan) of each first interval."""
    spec = make_spec(budget)
    method = build_method(spec)
    evolve = jax.jit(method.evolve, compiler_options={"xla_backend_optimization_level": 0})
    hyperparams = sample_hyperparams(jax.random.key(0), spec.algorithm, SIZE)
    state, history = method.init(jax.random.key(0), hyperparams), []
    fitness = np.arange(SIZE, dtype=np.float32)
    for number in range(1, budget):
        scores = PopulationScores(np.int32(number * INTERVAL), fitness, fitness[:, None])
        plan = jax.device_get(evolve(jax.random.key(number), state, hyperparams, scores))
        history.append((fitness, jax.device_get(hyperparams), plan))
        state, hyperparams = plan.method_state, plan.hyperparams
        fitness = np.random.default_rng(number).permutation(fitness)
    return method, history


def is_new_iteration(plan):
    return bool(np.any(plan.renewal != (1, 0)))


def is_selection(plan):
    return not is_new_iteration(plan) and bool(np.any(plan.parents != np.arange(SIZE)))


class TestWhen:
    def test_it_starts_again_after_three_points_without_progress_and_then_waits_twice_as_long(self):
        _, history = lived()
        iterations = [number for number, (_, _, plan) in enumerate(history, 1) if is_new_iteration(plan)]
        # The first point has none before it: 4 of length 1, then 4 of length 2; a third would have 4 x 4 = 16 to go.
        assert iterations == [4, 12]
        selections = [number for number, (_, _, plan) in enumerate(history, 1) if is_selection(plan)]
        assert selections == [1, 2, 3, 6, 8, 10, 16]

    def test_not_where_two_of_the_next_intervals_no_longer_fit(self):
        """The second one above begins at 12 with intervals of 4, two of which end at 20: not with a budget of 19."""
        assert [number for number, (_, _, plan) in enumerate(lived(19)[1], 1) if is_new_iteration(plan)] == [4]

    def test_in_between_nothing_happens(self):
        method, history = lived()
        for _, before, plan in history:
            if not is_new_iteration(plan) and not is_selection(plan):
                assert method.describe(plan) == [None] * SIZE
                for name, values in plan.hyperparams.items():
                    np.testing.assert_array_equal(values, before[name])


class TestANewIteration:
    @pytest.fixture(params=[4, 12])
    def begun(self, request):
        method, history = lived()
        return method, *history[request.param - 1]

    def test_half_are_new_and_the_others_shrunk(self, begun):
        *_, plan = begun
        rows = sorted(map(tuple, plan.renewal.astype(float).round(6).tolist()))
        assert rows == [(0.0, 1.0)] * 4 + [(0.2, 0.1)] * 4

    def test_everyone_copies_one_of_the_best_quarter(self, begun):
        _, fitness, _, plan = begun
        assert np.all(fitness[plan.parents] >= SIZE - 2)
        best = int(np.argmax(fitness))
        assert plan.parents[best] == best

    def test_one_half_is_drawn_and_the_other_chosen(self, begun):
        method, _, _, plan = begun
        births = method.describe(plan)
        for slot, birth in enumerate(births):
            weights = "fresh" if plan.renewal[slot, 0] == 0 else "shrink"
            word = "resample" if slot < SIZE // 2 else "model"
            assert birth.operator == "reset"
            assert birth.changes == {**dict.fromkeys(TUNED, word), "weights": weights}
        assert len(set(zip(*(plan.hyperparams[name].tolist() for name in TUNED), strict=True))) == SIZE

    def test_the_intervals_of_before_are_forgotten_and_how_it_went_is_kept(self, begun):
        *_, plan = begun
        state = plan.method_state
        assert not np.any(state.memory.observations.is_there)
        assert np.all(np.isnan(state.memory.start))  # nobody has evaluated the new weights yet
        assert (state.series.count, state.waited) == (0, 0)
        assert np.sum(state.iterations.is_there) == SIZE * state.iteration
        np.testing.assert_array_equal(state.first["exploration_noise"], plan.hyperparams["exploration_noise"])


def test_a_lineage_is_credited_with_its_best_descendant():
    _, history = lived()
    fitness, _, plan = history[0]
    state = plan.method_state
    np.testing.assert_array_equal(state.best, fitness)
    np.testing.assert_array_equal(state.origin, plan.parents)
    fitness, _, plan = history[1]
    expected = state.best.copy()
    np.maximum.at(expected, state.origin, fitness)
    np.testing.assert_array_equal(plan.method_state.best, expected)


def test_a_population_that_gains_goes_on():
    spec = make_spec()
    method = build_method(spec)
    evolve = jax.jit(method.evolve, compiler_options={"xla_backend_optimization_level": 0})
    hyperparams = sample_hyperparams(jax.random.key(0), spec.algorithm, SIZE)
    state = method.init(jax.random.key(0), hyperparams)
    for number in range(1, 13):
        fitness = jnp.arange(SIZE, dtype=jnp.float32) + 10 * number
        plan = evolve(
            jax.random.key(number), state, hyperparams, PopulationScores(jnp.int32(number), fitness, fitness[:, None])
        )
        state, hyperparams = plan.method_state, plan.hyperparams
        assert is_selection(jax.device_get(plan))
    assert state.iteration == 0


class TestRefusals:
    def refusal(self, **settings):
        with pytest.raises(SpecInvalid) as caught:
            make_spec(**settings)
        return {problem["path"]: problem["remedy"] for problem in caught.value.problems}

    def test_they_say_what_to_do(self):
        assert self.refusal(fitness={"name": "mean", "window": 2})["population.method.fitness.name"] == "use last"
        assert self.refusal(unit="updates", interval=100)["population.method.unit"] == "leave it out"

    def test_all_that_is_tuned_is_that_of_the_algorithm(self):
        assert set(tuned(make_spec().algorithm)) == set(TUNED)
