"""Colours of images [..., 3] in [0, 1]: red-green-blue and hue-saturation-value (Smith 1978)."""

import jax.numpy as jnp

from phylon.worker.core.types import Array


def luminance(image: Array) -> Array:
    """How bright each pixel looks, [..., 1] (ITU-R BT.601)."""
    return jnp.sum(image * jnp.array([0.2989, 0.587, 0.114]).reshape((1,) * (image.ndim - 1) + (3,)), -1, keepdims=True)


def rgb_to_hsv(image: Array) -> Array:
    red, green, blue = (image[..., channel] for channel in range(3))
    value, smallest = jnp.max(image, axis=-1), jnp.min(image, axis=-1)
    chroma = value - smallest
    divisor = jnp.where(chroma > 0, chroma, 1)
    sixths = jnp.where(
        value == red,
        (green - blue) / divisor,
        jnp.where(value == green, 2 + (blue - red) / divisor, 4 + (red - green) / divisor),
    )
    hue = jnp.where(chroma > 0, (sixths / 6) % 1, 0)
    saturation = jnp.where(value > 0, chroma / jnp.where(value > 0, value, 1), 0)
    return jnp.stack([hue, saturation, value], axis=-1)


def hsv_to_rgb(image: Array) -> Array:
    hue, saturation, value = (image[..., channel] for channel in range(3))

    def channel(offset: float) -> Array:
        """A channel is at its full value for a third of the circle of hues, and falls off by its distance from it."""
        distance = (offset + 6 * hue) % 6
        return value * (1 - saturation * jnp.clip(jnp.minimum(distance, 4 - distance), 0, 1))

    return jnp.stack([channel(5.0), channel(3.0), channel(1.0)], axis=-1)
