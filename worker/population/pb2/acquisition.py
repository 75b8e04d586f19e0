"""Where to look next: the upper confidence bound, and the point of the unit box at which a function is largest."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key

CANDIDATES = 512
CLIMBERS = 8
CLIMBING_STEPS = 20
FIRST_STEP = 0.1
SHRINKING = 0.8


def confidence(observations: Array, scale: float, growth: float) -> Array:
    """How many standard deviations of optimism: the root of b = c1 ln(c2 n), not below 0.

    The authors of PB2-Mix have c1 = 0.2 and c2 = 0.4, but multiply by the variance instead of the deviation.
    """
    return jnp.sqrt(jnp.maximum(0.0, scale * jnp.log(growth * jnp.maximum(observations, 1.0))))


def maximise(key: Key, score: Callable[[Array], Array], dimensions: int) -> Array:
    """Nearly the best point [d] of the unit box for `score`, which takes points [m, d] and gives [m].

    Random candidates, the best of which climb along the gradient by steps of shrinking length, kept in the box.
    """
    candidates = jax.random.uniform(key, (CANDIDATES, dimensions), jnp.float32)
    values, best = jax.lax.top_k(score(candidates), CLIMBERS)
    starts = candidates[best]

    def climb(carry: tuple[Array, Array], length: Array) -> tuple[tuple[Array, Array], None]:
        return step_up(score, *carry, length), None

    (points, values), _ = jax.lax.scan(climb, (starts, values), step_lengths())
    return points[jnp.argmax(values)]


def step_lengths() -> Array:
    return FIRST_STEP * SHRINKING ** jnp.arange(CLIMBING_STEPS, dtype=jnp.float32)


def step_up(score: Callable[[Array], Array], points: Array, values: Array, length: Array) -> tuple[Array, Array]:
    """Points [m, d] of the unit box and their values [m] after a step along the gradient; kept where it is no gain."""
    gradient = jax.grad(lambda points: jnp.sum(score(points)))(points)
    is_outwards = jnp.where(gradient > 0, points >= 1, points <= 0)
    gradient = jnp.where(is_outwards, 0.0, gradient)
    norm = jnp.linalg.norm(gradient, axis=-1, keepdims=True)
    moved = jnp.clip(points + length * gradient / jnp.maximum(norm, 1e-12), 0.0, 1.0)
    moved_values = score(moved)
    is_better = moved_values > values
    return jnp.where(is_better[:, None], moved, points), jnp.where(is_better, moved_values, values)
