"""Equations of PPO: generalised advantages, and the losses of one step of experience (Schulman et al. 2016, 2017)."""

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array


def generalised_advantages(
    r_t: Array, v_tm1: Array, v_t: Array, discount_t: Array, continues_t: Array, trace_decay: Array
) -> Array:
    """Generalised advantage estimation (Schulman et al. 2016, arXiv 1506.02438, equation 16), all arrays [steps].

    v_tm1, v_t: values of the observation acted on and of the one it led to, never that of the next episode.
    discount_t: 0 where the episode terminated. continues_t: 0 where it terminated or was truncated, so that no later
    step belongs to it. A truncated episode, and the end of the arrays, are bootstrapped from `v_t`; a terminated one is
    not.
    """
    errors = r_t + discount_t * v_t - v_tm1

    def step(advantage: Array, inputs: tuple[Array, Array]) -> tuple[Array, Array]:
        error, weight = inputs
        advantage = error + weight * advantage
        return advantage, advantage

    weights = discount_t * continues_t * trace_decay
    _, advantages = jax.lax.scan(step, jnp.zeros_like(errors[0]), (errors, weights), reverse=True)
    return jax.lax.stop_gradient(advantages)


def normalised(values: Array) -> Array:
    """Zero mean and unit deviation over all axes; the constant keeps equal values at zero."""
    return (values - jnp.mean(values)) / (jnp.std(values) + 1e-5)


def clipped_surrogate_loss(log_prob: Array, old_log_prob: Array, advantage: Array, clip: Array) -> Array:
    """Minus the more pessimistic of the plain and the clipped objective (arXiv 1707.06347, equation 7)."""
    ratio = jnp.exp(log_prob - old_log_prob)
    return -jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - clip, 1 + clip) * advantage)


def value_loss(value: Array, target: Array) -> Array:
    return 0.5 * jnp.square(value - target)


def clipped_value_loss(value: Array, old_value: Array, target: Array, clip: Array) -> Array:
    """The larger of the plain loss and that of a value moved by at most `clip`; in the authors' code, not the paper."""
    near = old_value + jnp.clip(value - old_value, -clip, clip)
    return jnp.maximum(value_loss(value, target), value_loss(near, target))
