"""Asynchronous PBT: who is judged when, by hand-made cases and by properties."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import ExperimentSpec, SpecInvalid, parse_spec
from phylon.spec.methods.pbt import gaps_of
from phylon.worker.population import PopulationMethod, PopulationScores, build_method, pbt
from phylon.worker.population.readiness import build_readiness

SIZE, EVALUATION = 8, 1000
HYPERPARAMS = {"discount": np.linspace(0.9, 0.97, SIZE, dtype=np.float32)}


def make_spec(asynchronous: Any = True, **method: Any) -> ExperimentSpec:
    fields = {"name": "pbt", "interval": 4 * EVALUATION, "asynchronous": asynchronous} | method
    return parse_spec(
        {
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": {"name": "td3", "discount": {"uniform": [0.9, 0.99]}},
            "population": {"size": SIZE, "method": fields},
            "evaluation": EVALUATION,
            "budget": 1_000_000,
        }
    )


def scores(step: int, fitness: list[float]) -> PopulationScores[Any]:
    values = np.float32(fitness)
    return PopulationScores(np.int32(step), values, values[:, None])


def evolve(method: PopulationMethod, due: list[int], step: int, fitness: list[float], seed: int = 0):
    plan = jax.jit(method.evolve)(jax.random.key(seed), jnp.int32(due), HYPERPARAMS, scores(step, fitness))
    return jax.device_get(plan)


RISING = [0.0, 1, 2, 3, 4, 5, 6, 7]


class TestDecisions:
    """Of 8 members with bottom and top 0.25, slots 0 and 1 are the worst and 6 and 7 the best."""

    @pytest.mark.parametrize(
        ("ready", "replaced"), [([0], [0]), ([1, 5, 7], [1]), ([3, 4], []), ([6, 7], []), (range(8), [0, 1])]
    )
    def test_who_is_ready_and_among_the_worst_copies_one_of_the_best(self, ready, replaced):
        """As Ray Tune decides with `synch=False`: quantiles of everyone's latest score, applied to who is ready."""
        due = [5 if slot in ready else 6 for slot in range(SIZE)]
        plan = evolve(build_method(make_spec()), due, 5 * EVALUATION, RISING)
        moved = np.flatnonzero(plan.parents != np.arange(SIZE)).tolist()
        assert moved == replaced
        assert all(plan.parents[slot] in (6, 7) for slot in moved)

    def test_the_latest_fitness_of_the_others_decides(self):
        """The same member, ready twice: among the worst it copies, and once others have fallen behind it does not."""
        method, due = build_method(make_spec()), [5, *[99] * 7]
        assert evolve(method, due, 5 * EVALUATION, [2.5, 3, 4, 5, 6, 7, 8, 9]).parents[0] in (6, 7)
        assert evolve(method, due, 5 * EVALUATION, [2.5, 0, 1, 5, 6, 7, 8, 9]).parents[0] == 0

    def test_who_is_overdue_is_ready(self):
        plan = evolve(build_method(make_spec()), [2] * SIZE, 5 * EVALUATION, RISING)
        assert np.flatnonzero(plan.parents != np.arange(SIZE)).tolist() == [0, 1]

    def test_only_who_is_ready_explores(self):
        method = build_method(make_spec(selection="none", explorers="everyone", explore="resample"))
        plan = evolve(method, [5, 9, 5, *[9] * 5], 5 * EVALUATION, RISING)
        changed = np.flatnonzero(plan.hyperparams["discount"] != HYPERPARAMS["discount"]).tolist()
        assert changed == [0, 2]
        assert [birth is not None for birth in method.describe(plan)] == [slot in changed for slot in range(SIZE)]


def assert_others_are_left_alone(method: PopulationMethod, due: list[int], step: int, fitness: list[float], seed: int):
    plan = evolve(method, due, step, fitness, seed)
    others = np.array(due) > step // EVALUATION
    assert (plan.parents[others] == np.arange(SIZE)[others]).all(), "one who is not ready was replaced"
    assert (plan.hyperparams["discount"][others] == HYPERPARAMS["discount"][others]).all()
    assert (plan.method_state[others] == np.array(due)[others]).all()
    assert (plan.method_state[~others] > step // EVALUATION).all(), "one who was judged waits for its next time"
    births = method.describe(plan)
    assert all(births[slot] is None for slot in np.flatnonzero(others))


class TestProperties:
    @pytest.mark.parametrize("selection", ["truncation", "winner_takes_all", "binary_tournament", "t_test"])
    def test_who_is_not_ready_is_left_alone(self, selection: str):
        method, random = build_method(make_spec(selection=selection)), np.random.default_rng(0)
        for seed in range(5):
            due, fitness = random.integers(1, 9, SIZE).tolist(), random.normal(size=SIZE).tolist()
            assert_others_are_left_alone(method, due, 5 * EVALUATION, fitness, seed)

    def test_the_synchronous_rule_would_be_noticed(self, monkeypatch):
        def everyone_at_once(spec, asynchronous):
            return build_readiness(spec, asynchronous)._replace(find=lambda due, step: jnp.ones(SIZE, bool))

        monkeypatch.setattr(pbt, "build_readiness", everyone_at_once)
        method = build_method(make_spec())
        with pytest.raises(AssertionError, match="not ready was replaced"):
            assert_others_are_left_alone(method, [9] * SIZE, 5 * EVALUATION, RISING, 0)

    def test_members_are_ready_at_different_times_and_as_often_as_the_interval_says(self):
        """Over 400 evaluations with an interval of 4, factors 0.5 to 1.5: gaps of 2 to 6, with a mean of 4."""
        spec = make_spec()
        readiness = build_readiness(spec, spec.population.method.asynchronous)
        due, times = readiness.begin(jax.random.key(0)), [list[int]() for _ in range(SIZE)]
        renew = jax.jit(readiness.renew)
        for number in range(1, 401):
            step = np.int32(number * EVALUATION)
            assert readiness.is_anyone(np.asarray(due), int(step)) == bool(readiness.find(due, step).any())
            for slot in np.flatnonzero(readiness.find(due, step)):
                times[slot].append(number)
            due = renew(jax.random.fold_in(jax.random.key(1), number), due, step)
        gaps = np.concatenate([np.diff(own) for own in times])
        assert set(gaps) == set(gaps_of(spec)) == {2, 3, 4, 5, 6}
        assert gaps.mean() == pytest.approx(4, abs=0.15)
        assert len({tuple(own) for own in times}) == SIZE

    def test_nobody_is_ready_between_evaluations(self):
        spec = make_spec()
        readiness = build_readiness(spec, spec.population.method.asynchronous)
        assert not readiness.is_anyone(np.int32([1]), 5 * EVALUATION + 50)

    @pytest.mark.parametrize(("burn_in", "first"), [(0, 2), (2_000, 2), (10_000, 12)])
    def test_burn_in(self, burn_in: int, first: int):
        spec = make_spec(burn_in=burn_in)
        readiness = build_readiness(spec, spec.population.method.asynchronous)
        due = np.concatenate([readiness.begin(jax.random.key(seed)) for seed in range(20)])
        assert due.min() == first and due.min() * EVALUATION >= burn_in and len(set(due)) == 5


class TestSpec:
    def test_written_in_short(self):
        assert make_spec(True).population.method.asynchronous.jitter == 0.5
        assert make_spec({"jitter": 0.25}).population.method.asynchronous.jitter == 0.25
        assert make_spec(False).population.method.asynchronous is None

    @pytest.mark.parametrize("jitter", [0.01, 0.3, 0.5, 0.9])
    @pytest.mark.parametrize("budget", [3_000, 100_000, "10M"])
    def test_an_interval_that_is_left_out_leaves_room(self, jitter: float, budget: Any):
        method = {"name": "pbt", "asynchronous": {"jitter": jitter}}
        spec = parse_spec(
            {"environment": "Pendulum-v1", "algorithm": "td3", "population": {"method": method}, "budget": budget}
        )
        assert len(gaps_of(spec)) > 1

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ({"interval": EVALUATION}, "population.method.interval"),
            ({"interval": 4 * EVALUATION, "asynchronous": {"jitter": 0.1}}, "population.method.interval"),
            ({"unit": "updates"}, "population.method.unit"),
            ({"asynchronous": {"jitter": 1.5}}, "population.method.asynchronous.jitter"),
            ({"asynchronous": "yes"}, "population.method.asynchronous"),
        ],
    )
    def test_refused(self, method: dict[str, Any], path: str):
        with pytest.raises(SpecInvalid) as caught:
            make_spec(**({"asynchronous": True} | method))
        assert [problem["path"] for problem in caught.value.problems] == [path]
