"""Observations brought to a common scale: each component minus its running mean, divided by its running deviation.

The statistics are part of a member's state, so they are copied with its weights and lie in its checkpoints. They hold
means and variances, never sums of squares, whose difference would lose all digits in float32.
"""

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array
from phylon.worker.learning.reward_scale import Moments, merge_moments

SMALLEST_VARIANCE = 1e-8
"""Added to every variance: a component that never changes becomes 0."""


def empty_statistics(shape: tuple[int, ...]) -> Moments:
    """Before the first observation: nothing is subtracted, and the divisor is 1."""
    return Moments(jnp.zeros(()), jnp.zeros(shape), jnp.ones(shape))


def take_in(statistics: Moments, observations: Array) -> Moments:
    """The statistics of what was seen so far and of the new observations [n, *shape] together."""
    observations = observations.astype(jnp.float32)
    count = jnp.full((), len(observations), jnp.float32)
    new = Moments(count, jnp.mean(observations, axis=0), jnp.var(observations, axis=0))
    return merge_moments(statistics, new)


def take_in_rollouts(statistics: Moments, observations: Array) -> Moments:
    """Of many members: statistics [members], and what each has seen in a segment, [members, calls, envs, *shape]."""
    return jax.vmap(lambda own, seen: take_in(own, seen.reshape(-1, *seen.shape[2:])))(statistics, observations)


def normalise(statistics: Moments, observations: Array, clip: float) -> Array:
    """Observations [n, *shape] with zero mean and unit deviation, cut off at ±clip."""
    mean, deviation = statistics.mean[None], jnp.sqrt(statistics.variance[None] + SMALLEST_VARIANCE)
    return jnp.clip((observations - mean) / deviation, -clip, clip)
