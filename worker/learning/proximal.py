"""The losses of PPO (Schulman et al. 2017, arXiv 1707.06347) for one step of experience."""

import jax.numpy as jnp

from phylon.worker.core.types import Array


def clipped_surrogate_loss(log_prob: Array, old_log_prob: Array, advantage: Array, clip: Array) -> Array:
    """Minus the more pessimistic of the plain and the clipped objective (equation 7)."""
    ratio = jnp.exp(log_prob - old_log_prob)
    return -jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - clip, 1 + clip) * advantage)


def value_loss(value: Array, target: Array) -> Array:
    return 0.5 * jnp.square(value - target)


def clipped_value_loss(value: Array, old_value: Array, target: Array, clip: Array) -> Array:
    """The larger of the plain loss and that of a value that moved by at most `clip`; not in the paper, in its code."""
    near = old_value + jnp.clip(value - old_value, -clip, clip)
    return jnp.maximum(value_loss(value, target), value_loss(near, target))
