"""The toys move by the rules they are known for, and every number of theirs counts."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec.algorithms import SurrogateAscentSpec, TriangleClimbSpec, tunable_fields
from phylon.spec.registered import describe_algorithm
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.toy import AscentState, ClimbState, best_learning_rate, expected_gain, surrogate_gradient
from phylon.worker.environments import describe

ASCENT = SurrogateAscentSpec(name="surrogate_ascent", weight_0=0.5, weight_1=0.25, learning_rate=0.1)
CLIMB = TriangleClimbSpec(name="triangle_climb", learning_rate=0.002)
STATES = {ASCENT.name: AscentState(jnp.array([0.9, -0.8])), CLIMB.name: ClimbState(jnp.float32(50.0))}
"""Somewhere on the way."""


def build(spec):
    return build_algorithm(spec, describe(*describe_algorithm(spec).home))


def moved(spec, numbers, state, key=0):
    state, metrics = build(spec).update(state, numbers, None, jax.random.key(key))
    return state, {name: float(value) for name, value in metrics.items()}


def test_a_step_follows_the_surrogate(numbers_of):
    state, metrics = moved(ASCENT, numbers_of(ASCENT), STATES[ASCENT.name])
    np.testing.assert_allclose(state.theta, [0.9 - 0.1 * 0.9, -0.8 + 0.1 * 0.4], rtol=1e-6)
    assert metrics == {"theta_0": pytest.approx(0.81), "theta_1": pytest.approx(-0.76)}


def test_the_gradient_is_that_of_the_surrogate():
    weights, theta = jnp.array([0.3, 0.7]), jnp.array([0.9, -0.4])
    expected = jax.grad(lambda theta: 1.2 - jnp.sum(weights * theta**2))(theta)
    np.testing.assert_allclose(surrogate_gradient(weights, theta), expected, rtol=1e-6)


def test_theta_stays_where_actions_live(numbers_of):
    numbers = numbers_of(ASCENT, weight_0=1.0, learning_rate=5.0)
    state, _ = moved(ASCENT, numbers, AscentState(jnp.array([0.9, 0.9])))
    assert state.theta[0] == -1


@pytest.mark.parametrize("spec", [ASCENT, CLIMB], ids=lambda spec: spec.name)
def test_the_action_is_where_the_member_stands(spec, numbers_of):
    algorithm, numbers = build(spec), numbers_of(spec)
    state = algorithm.init(jax.random.key(0), numbers)
    action = algorithm.act(state, numbers, jnp.zeros((3, 1)), jax.random.key(1), True)
    expected = [[0.9, 0.9]] if spec is ASCENT else [[-1]]
    np.testing.assert_allclose(action, np.repeat(expected, 3, axis=0), rtol=1e-6)


@pytest.mark.parametrize(("accuracy", "rate"), [(0, 0.001), (50, 0.005), (100, 0.01), (150, 0.005), (200, 0.001)])
def test_the_best_learning_rate_is_a_triangle_wave(accuracy, rate):
    assert float(best_learning_rate(jnp.float32(accuracy))) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("learning_rate", "gain"),
    [(0.005, 0.5), (0.01, 0.25), (0.0025, 0.25), (0.001, 0.0), (0.02, -0.5)],
    ids=["the best", "twice", "half", "too small", "too large"],
)
def test_gain_half_way_up(learning_rate, gain):
    assert float(expected_gain(jnp.float32(learning_rate), jnp.float32(50))) == pytest.approx(gain, abs=1e-5)


def test_a_climb_gains_on_average_and_is_noisy(numbers_of, compiled):
    numbers, update = numbers_of(CLIMB), build(CLIMB).update
    many = compiled(jax.vmap(lambda key: update(STATES[CLIMB.name], numbers, None, key)[0].accuracy))
    after = many(jax.random.split(jax.random.key(0), 4000))
    assert float(jnp.mean(after)) == pytest.approx(50 + 0.2, abs=0.12)
    assert float(jnp.std(after)) == pytest.approx(2, abs=0.1)


def test_whoever_arrives_has_arrived(numbers_of):
    for key in range(5):
        state, metrics = moved(CLIMB, numbers_of(CLIMB), ClimbState(jnp.float32(200.0)), key)
        assert state.accuracy == metrics["accuracy"] == 200


@pytest.mark.parametrize(
    ("spec", "field"), [(spec, field) for spec in (ASCENT, CLIMB) for field in tunable_fields(type(spec))]
)
def test_every_hyperparameter_is_alive(spec, field, numbers_of):
    numbers, state = numbers_of(spec), STATES[spec.name]
    changed = numbers_of(spec, **{field: 0.7 * float(numbers[field])})
    one, other = moved(spec, numbers, state, key=3), moved(spec, changed, state, key=3)
    assert one[1] != other[1], f"{field} is never read"
