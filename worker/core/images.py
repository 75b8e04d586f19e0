"""Images on the device. They are transferred and stored as bytes; networks and augmentations use floats in [0, 1]."""

import jax.numpy as jnp

from phylon.worker.core.types import Array


def as_floats(obs: Array) -> Array:
    """Bytes scaled to [0, 1]; floats as they are."""
    return obs.astype(jnp.float32) / 255 if obs.dtype == jnp.uint8 else obs
