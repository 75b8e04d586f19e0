"""Equations of soft actor-critic (Haarnoja et al. 2018, arXiv 1812.05905): reward and entropy are maximised together.

`temperature` (alpha) is the weight of the entropy; minus a sampled action's log-probability estimates the entropy.
"""

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array


def soft_q_target(q_t: Array, log_prob_t: Array, temperature: Array, r_t: Array, discount_t: Array) -> Array:
    """Bootstrap from the most pessimistic critic and the entropy to come (equations 3 and 5).

    q_t [critics]: target critics' values of the next state and an action sampled there, whose log-probability is
    log_prob_t; discount_t: 0 where the episode terminated.
    """
    return jax.lax.stop_gradient(r_t + discount_t * (jnp.min(q_t) - temperature * log_prob_t))


def soft_policy_loss(q: Array, log_prob: Array, temperature: Array) -> Array:
    """Minus the worth of a sampled action to the most pessimistic critic of q [critics], with entropy (equation 9)."""
    return temperature * log_prob - jnp.min(q)


def temperature_loss(log_temperature: Array, entropy: Array, target_entropy: Array) -> Array:
    """Its descent raises the temperature while the policy's entropy is below the target (equation 18)."""
    return jnp.exp(log_temperature) * jax.lax.stop_gradient(entropy - target_entropy)
