"""What is done to gradients before an optimiser sees them."""

import jax
import jax.numpy as jnp
import optax

from phylon.worker.core.types import Array, Params


def clip_by_global_norm(gradients: Params, limit: Array) -> tuple[Params, Array]:
    """Gradients shrunk, all alike, to a joint length of at most `limit` (Pascanu et al. 2013); and their length before.

    The limit is data, so that it can differ between members.
    """
    norm = optax.tree.norm(gradients)
    factor = jnp.minimum(1, limit / jnp.maximum(norm, 1e-12))
    return jax.tree.map(lambda gradient: factor * gradient, gradients), norm
