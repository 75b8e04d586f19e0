"""How far a population's behaviours lie apart (Parker-Holder et al. 2020, arXiv 2002.00632, section 3)."""

import jax.numpy as jnp

from phylon.worker.core.types import Array


def log_determinant(embeddings: Array, length_scale: float, jitter: float) -> Array:
    """Logarithm of the volume that behaviours [P, features] span under a squared-exponential kernel.

    Squared distances are means over the features, so neither the batch nor the size of actions changes their scale.
    They are taken from differences: by way of products they could come out negative. With the jitter the determinant
    stays above zero where behaviours coincide, and so its gradient stays finite.
    """
    distances = jnp.mean(jnp.square(embeddings[:, None] - embeddings[None]), axis=-1)  # [P, P]
    kernel = jnp.exp(-distances / (2 * length_scale**2)) + jitter * jnp.eye(len(embeddings))
    return jnp.linalg.slogdet(kernel).logabsdet
