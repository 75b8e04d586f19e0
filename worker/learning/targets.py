"""Slowly moving copies of networks, and the actions that they propose."""

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Params


def polyak_average(target: Params, online: Params, rate: Array) -> Params:
    """The target moved towards the online weights by the share `rate`; 1 copies them."""
    return jax.tree.map(lambda old, new: (1 - rate) * old + rate * new, target, online)


def smoothed_target_action(action: Array, noise: Array, scale: Array, clip: Array) -> Array:
    """Target policy smoothing (Fujimoto et al. 2018, equation 14) of actions in [-1, 1]; `noise` is standard normal."""
    return jnp.clip(action + jnp.clip(scale * noise, -clip, clip), -1, 1)
