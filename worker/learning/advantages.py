"""How much better an action was than expected, from consecutive experience."""

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array


def generalised_advantages(
    r_t: Array, v_tm1: Array, v_t: Array, discount_t: Array, continues_t: Array, trace_decay: Array
) -> Array:
    """Generalised advantage estimation (Schulman et al. 2016, arXiv 1506.02438, equation 16), all arrays [steps].

    v_tm1, v_t: values of the observation acted on and of the one it truly led to, never that of the next episode.
    discount_t: 0 where the episode terminated. continues_t: 0 where it terminated or was cut, so that no later step
    belongs to it. A cut episode, and the end of the arrays, are bootstrapped from `v_t`; a terminated one is not.
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
