"""Equations of DDPG and TD3. Time is in the names: `_tm1` is the step acted on, `_t` the one it led to."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array


def clipped_double_q_target(q_t: Array, r_t: Array, discount_t: Array) -> Array:
    """Bootstrap from the most pessimistic critic (Fujimoto et al. 2018, arXiv 1802.09477, equation 10).

    q_t [critics]: target critics' values of the next state and action; discount_t: 0 where the episode terminated.
    With one critic it is the plain target of DDPG (Lillicrap et al. 2015, algorithm 1).
    """
    return jax.lax.stop_gradient(r_t + discount_t * jnp.min(q_t, axis=0))


def smoothed_target_action(action: Array, noise: Array, scale: Array, clip: Array) -> Array:
    """Target policy smoothing (Fujimoto et al. 2018, equation 14) of actions in [-1, 1]; `noise` is standard normal."""
    return jnp.clip(action + jnp.clip(scale * noise, -clip, clip), -1, 1)


def squared_errors(q_tm1: Array, target: Array) -> Array:
    """The critics' loss for one transition: squared errors of q_tm1 [critics] against the one target, summed."""
    return jnp.sum(jnp.square(q_tm1 - target))


def deterministic_policy_gradient_loss(
    policy: Callable[[Array], Array], critic: Callable[[Array, Array], Array], obs: Array
) -> Array:
    """Minus the critic's value of the policy's action (Silver et al. 2014; Lillicrap et al. 2015, equation 6).

    policy: observation -> action; critic: (observation, action) -> scalar.
    """
    return -critic(obs, policy(obs))
