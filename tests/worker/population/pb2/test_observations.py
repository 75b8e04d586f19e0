import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import parse_spec
from phylon.worker.population.pb2.observations import (
    capacity_of,
    nothing,
    record,
    rounds_of,
    standardise,
    to_unit,
)

NAN, INFINITY = float("nan"), float("inf")


def recorded(rounds):
    """Four members, room for six; `rounds` of (start, fitness)."""
    ring = nothing(6, 1, 1)
    for number, (start, fitness) in enumerate(rounds, 1):
        members = jnp.arange(4.0)
        ring = record(
            ring,
            jnp.int32(number),
            jnp.array(start),
            (members / 4)[:, None],
            members.astype(jnp.int32)[:, None],
            jnp.array(fitness),
        )
    return ring


def test_a_gain_is_the_difference_of_fitness():
    ring = recorded([([1.0, 2.0, 3.0, 4.0], [1.5, 2.0, 1.0, 14.0])])
    assert ring.gain[:4].tolist() == [0.5, 0, -2, 10]
    assert ring.numbers[:4, 0].tolist() == [0, 0.25, 0.5, 0.75]
    assert ring.categories[:4, 0].tolist() == [0, 1, 2, 3]
    assert ring.is_there.tolist() == [True] * 4 + [False] * 2


def test_what_is_not_a_number_takes_no_room():
    ring = recorded([([NAN] * 4, [1.0] * 4), ([1.0, NAN, 1.0, 1.0], [2.0, 2.0, NAN, INFINITY])])
    assert ring.is_there.tolist() == [True] + [False] * 5
    assert (ring.round[0], ring.gain[0], ring.cursor) == (2, 1, 1)


def test_the_oldest_are_overwritten():
    ring = recorded([([0.0] * 4, [number] * 4) for number in (1.0, 2.0)])
    assert ring.round.tolist() == [2, 2, 1, 1, 2, 2]
    assert ring.gain.tolist() == [2, 2, 1, 1, 2, 2]
    assert ring.cursor == 2


def test_standardised_gains_are_undone_by_their_scale():
    values, is_there = jnp.array([1.0, 2.0, 3.0, 99.0]), jnp.array([True, True, True, False])
    standard, scale = standardise(values, is_there)
    np.testing.assert_allclose(standard, [-np.sqrt(1.5), 0, np.sqrt(1.5), 0], atol=1e-5)
    np.testing.assert_allclose(scale.centre + scale.spread * standard[:3], values[:3], rtol=1e-5)


@pytest.mark.parametrize("values", [[5.0, 5.0], [-3e38, 3e38], [0.0, 0.0], [1e-30, 2e-30]])
def test_extreme_values_stay_finite(values):
    for is_there in ([True, True], [True, False], [False, False]):
        standard, scale = standardise(jnp.array(values), jnp.array(is_there))
        assert np.all(np.isfinite([*standard, *scale]))
        shares = to_unit(jnp.array(values), jnp.array(is_there))
        assert np.all((shares >= 0) & (shares <= 1))


def test_an_outlier_is_cut():
    standard, _ = standardise(jnp.array([0.0] * 20 + [1000.0]), jnp.ones(21, jnp.bool_))
    assert standard.max() == 2


@pytest.mark.parametrize(
    ("algorithm", "method", "rounds", "capacity"),
    [
        ("sac", {"interval": 20_000}, 50, 400),  # all that the run has
        ("sac", {"interval": 20_000, "window": 64}, 50, 64),
        ("sac", {"interval": 1_000}, 1000, 1000),  # the default
        ("sac", {"interval": 20_000, "unit": "updates"}, 25, 200),  # a ratio of 0.5
        ("sac", {"interval": 60, "unit": "seconds"}, None, 1000),  # nobody knows
        ("ppo", {"interval": 10, "unit": "updates"}, 48, 384),  # of 489 rollouts
    ],
)
def test_room_for_what_a_run_can_observe(algorithm, method, rounds, capacity):
    """Eight members, 1,000,000 steps."""
    document = {
        "environment": "HalfCheetah-v5",
        "algorithm": algorithm,
        "population": {"size": 8, "method": {"name": "pb2", **method}},
        "budget": 1_000_000,
        "evaluation": {"interval": 1_000} if algorithm == "sac" else {},
    }
    spec = parse_spec(document | ({"replay": {"ratio": 0.5}} if algorithm == "sac" else {}))
    assert rounds is None or rounds_of(spec, spec.population.method) == rounds
    assert capacity_of(spec, spec.population.method) == capacity
