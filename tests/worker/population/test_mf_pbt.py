"""MF-PBT against a plain reading of the paper, member by member."""

import jax
import numpy as np
import pytest

from phylon.spec import parse_spec, tuned
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.population import PopulationScores, build_method, sample_hyperparams

FREQUENCIES = (1, 2, 6)
SIZE, PART, QUARTER = 24, 8, 2


def make_spec(size=SIZE, frequencies=FREQUENCIES):
    return parse_spec(
        {
            "version": 1,
            "name": "parts",
            "kind": "training",
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": {"name": "td3", "discount": {"uniform": [0.0, 1.0]}},
            "population": {
                "size": size,
                "method": {
                    "name": "mf_pbt",
                    "interval": 10_000,
                    "frequencies": list(frequencies),
                    "explore": {"name": "perturb", "factors": [0.5, 2.0], "resample": 0.0},
                },
            },
            "budget": {"env_steps": 100_000},
        }
    )


def by_the_book(fitness, interval):
    """(slot whose weights, slot whose values, whether it explores) for each slot."""
    value = lambda slot: -np.inf if np.isnan(fitness[slot]) else fitness[slot]  # noqa: E731
    ranking = sorted(range(SIZE), key=lambda slot: (-value(slot), slot))
    plan = {slot: (slot, slot, False) for slot in range(SIZE)}
    for part, frequency in enumerate(FREQUENCIES):
        if interval % frequency:
            continue
        own = [slot for slot in ranking if slot // PART == part]
        others = [slot for slot in ranking if slot // PART != part]
        for winner, loser in zip(own[:QUARTER], own[-QUARTER:], strict=True):
            plan[loser] = (winner, winner, True)
        for slot in own[2 * QUARTER : 3 * QUARTER]:
            migrant = others[0]
            if ranking.index(migrant) < ranking.index(slot):
                steadier = FREQUENCIES[migrant // PART] > frequency
                plan[slot] = (migrant, migrant if steadier else own[0], False)
                others.pop(0)
    return plan


SPEC = make_spec()
METHOD = build_method(SPEC)
EVOLVE = jax.jit(METHOD.evolve, compiler_options=fast_compile_options())


@pytest.mark.parametrize("interval", [1, 2, 3, 6])
@pytest.mark.parametrize("seed", range(6))
def test_it_does_what_the_paper_says(interval, seed):
    random = np.random.default_rng(seed)
    fitness = random.normal(size=SIZE).astype(np.float32)
    if seed >= 4:
        fitness[random.integers(SIZE, size=6)] = np.nan
    before = jax.device_get(sample_hyperparams(jax.random.key(seed), SPEC.algorithm, SIZE))
    scores = PopulationScores(np.int32(0), fitness, fitness[:, None])
    plan = jax.device_get(EVOLVE(jax.random.key(7), np.int32(interval - 1), before, scores))
    births = METHOD.describe(plan)
    values = before["discount"]
    for slot, (weights, source, explores) in by_the_book(fitness, interval).items():
        assert plan.parents[slot] == weights
        child = plan.hyperparams["discount"][slot]
        if explores:
            near, far = 1 - 0.5 * (1 - values[source]), 1 - 2 * (1 - values[source])
            assert child == pytest.approx(near) or child == pytest.approx(far if far >= 0 else values[source] / 2)
            assert births[slot].operator in ("perturb", "copy")
        else:
            assert child == values[source]
            expected = None if weights == slot else "migrate"
            assert (births[slot] and births[slot].operator) == expected
            if births[slot]:
                word = "inherit" if source in (weights, slot) else "part's best"
                assert births[slot].changes == {"discount": word}
        assert plan.explored_from["discount"][slot] == values[source]
    assert int(plan.method_state) == interval
    best = int(np.nanargmax(fitness))
    assert plan.parents[best] == best


def test_parts_have_whole_quarters():
    assert make_spec(size=20).population.size == 24
    assert list(tuned(make_spec().algorithm)) == ["discount"]


@pytest.mark.parametrize("missing", [range(1, 8), range(8), range(23)], ids=["most of a part", "a part", "all but one"])
def test_nobody_takes_anything_of_a_member_that_diverged(missing):
    fitness = np.arange(SIZE, dtype=np.float32)
    fitness[list(missing)] = np.nan
    before = jax.device_get(sample_hyperparams(jax.random.key(0), SPEC.algorithm, SIZE))
    scores = PopulationScores(np.int32(0), fitness, np.repeat(fitness[:, None], 2, axis=1))
    evolution = jax.device_get(EVOLVE(jax.random.key(1), METHOD.init(jax.random.key(0), before), before, scores))
    moved = [(slot, parent) for slot, parent in enumerate(evolution.parents.tolist()) if slot != parent]
    assert moved and not {parent for _, parent in moved} & set(missing)
