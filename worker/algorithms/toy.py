"""Toy algorithms: a member is a few numbers, its action is those numbers, and an update moves them by a known rule.

    surrogate_ascent:  theta += learning_rate * gradient of 1.2 - weight_0 theta_0² - weight_1 theta_1²
    triangle_climb:    accuracy += gain(learning_rate, accuracy) + noise

The first is the PBT paper's Figure 2 (Jaderberg et al. 2017), the second Ray Tune's benchmark of an adaptive learning
rate. Both learn nothing from experience; it is the population method that has something to learn.

Metrics: `theta_0` and `theta_1`; `accuracy`, and `best_learning_rate` for it. All as they are after the update.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec.algorithms import SurrogateAscentSpec, TriangleClimbSpec
from phylon.toys import START
from phylon.worker.core.types import Algorithm, Array, Batch, EnvironmentInfo, Hyperparams, Key, Metrics

PEAK, END = 100.0, 200.0
"""Accuracies: where the best learning rate is the largest, and where there is nothing left to gain."""
SMALLEST_RATE, LARGEST_RATE = 0.001, 0.01
"""Between which the best learning rate moves."""
TOLERANCE = 3.0
"""How many times too small or too large a rate may be and still be of use."""
NOISE = 2.0
"""The deviation of an accuracy's own ups and downs."""


class AscentState(NamedTuple):
    theta: Array
    """[2], in [-1, 1]."""


class ClimbState(NamedTuple):
    accuracy: Array


def surrogate_ascent(spec: SurrogateAscentSpec, info: EnvironmentInfo) -> Algorithm:
    del spec, info  # nothing of either has a choice

    def init(key: Key, hyperparams: Hyperparams) -> AscentState:
        del key, hyperparams  # everyone begins at the same place
        return AscentState(jnp.full(2, START, jnp.float32))

    def act(state: AscentState, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array:
        del hyperparams, key, explore
        return jnp.broadcast_to(state.theta, (len(obs), 2))

    def update(state: AscentState, hyperparams: Hyperparams, batch: Batch, key: Key) -> tuple[AscentState, Metrics]:
        del batch, key
        weights = jnp.stack([hyperparams["weight_0"], hyperparams["weight_1"]])
        theta = jnp.clip(state.theta + hyperparams["learning_rate"] * surrogate_gradient(weights, state.theta), -1, 1)
        return AscentState(theta), {"theta_0": theta[0], "theta_1": theta[1]}

    return Algorithm(init, act, update)


def surrogate_gradient(weights: Array, theta: Array) -> Array:
    """Of 1.2 - sum(weights * theta²), [2]."""
    return -2 * weights * theta


def triangle_climb(spec: TriangleClimbSpec, info: EnvironmentInfo) -> Algorithm:
    del spec, info

    def init(key: Key, hyperparams: Hyperparams) -> ClimbState:
        del key, hyperparams
        return ClimbState(jnp.zeros(()))

    def act(state: ClimbState, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array:
        del hyperparams, key, explore
        return jnp.full((len(obs), 1), state.accuracy / PEAK - 1)

    def update(state: ClimbState, hyperparams: Hyperparams, batch: Batch, key: Key) -> tuple[ClimbState, Metrics]:
        del batch
        luck_key, noise_key = jax.random.split(key)
        gain = expected_gain(hyperparams["learning_rate"], state.accuracy) * 2 * jax.random.uniform(luck_key)
        moved = jnp.clip(state.accuracy + gain + NOISE * jax.random.normal(noise_key), 0, END)
        accuracy = jnp.where(state.accuracy >= END, END, moved)  # a member that arrives has arrived
        return ClimbState(accuracy), {"accuracy": accuracy, "best_learning_rate": best_learning_rate(accuracy)}

    return Algorithm(init, act, update)


def best_learning_rate(accuracy: Array) -> Array:
    """The triangle wave."""
    return jnp.clip(LARGEST_RATE * (1 - jnp.abs(accuracy / PEAK - 1)), SMALLEST_RATE, LARGEST_RATE)


def expected_gain(learning_rate: Array, accuracy: Array) -> Array:
    """What an update adds to the accuracy on average, before noise."""
    best = best_learning_rate(accuracy)
    error = jnp.maximum(learning_rate, best) / jnp.minimum(learning_rate, best)
    beyond = jnp.where(learning_rate > best, TOLERANCE - error, 0.0)
    return jnp.where(error < TOLERANCE, 1 / error, beyond) / 2
