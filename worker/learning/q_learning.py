"""Targets and errors of Q-learning with discrete actions. Time is in the names, as in `actor_critic`."""

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array


def q_learning_target(q_t: Array, r_t: Array, discount_t: Array) -> Array:
    """Bootstrap from the action that the target network values most (Mnih et al. 2015, algorithm 1).

    q_t [actions]: its values of the next state; discount_t: 0 where the episode terminated.
    """
    return jax.lax.stop_gradient(r_t + discount_t * jnp.max(q_t))


def double_q_learning_target(q_t: Array, q_t_online: Array, r_t: Array, discount_t: Array) -> Array:
    """The online network chooses the action, the target network values it (van Hasselt et al. 2016, equation 4)."""
    return jax.lax.stop_gradient(r_t + discount_t * q_t[jnp.argmax(q_t_online)])


def huber(error: Array, delta: Array) -> Array:
    """Half the square within `delta`, linear beyond with the slope `delta` (Huber 1964)."""
    quadratic = jnp.minimum(jnp.abs(error), delta)
    return 0.5 * jnp.square(quadratic) + delta * (jnp.abs(error) - quadratic)


def linear_schedule(initial: Array, final: Array, duration: Array, step: Array) -> Array:
    """From `initial` at step 0 in a straight line to `final` at step `duration`, and `final` from there on."""
    progress = jnp.clip(step / duration, 0, 1)
    return (1 - progress) * initial + progress * final
