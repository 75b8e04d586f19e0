"""The eight augmentations of images that DrAC chooses from (Raileanu et al. 2021, arXiv 2006.12862).

Each takes a key and float images [n, height, width, 3] in [0, 1], and draws its random numbers per image. The authors
give their constants in pixels of 64 x 64 images; here they are 64ths of an image, so they hold for other sizes.
"""

import itertools
from collections.abc import Callable
from types import MappingProxyType

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key

Augmentation = Callable[[Key, Array], Array]

AUTHORS_PIXELS = 64
CROP_MARGIN = 12
BOX_SIDES = (7, 21)
BOX_PIVOT = (12, 24)
JITTER = (0.6, 1.4)
"""Factors of brightness, contrast and saturation."""
HUE_TURN = 0.5 * 255 / 360
"""Largest turn of the hue, as a share of the circle."""


def augment(choice: Array, key: Key, images: Array) -> Array:
    """The augmentation with the number `choice`. All are branches of one program: another choice compiles nothing."""

    def branch(function: Augmentation) -> Callable[[Array, Array], Array]:
        return lambda words, images: function(jax.random.wrap_key_data(words), images)

    # As plain words: under `vmap` all branches are computed, and JAX's check takes the one key for a reused one.
    words = jax.random.key_data(key)
    return jax.lax.switch(
        jnp.round(choice).astype(jnp.int32), [branch(function) for function in AUGMENTATIONS.values()], words, images
    )


def crop(key: Key, images: Array) -> Array:
    """A random window of the image's own size, from the image with its border repeated by a margin on each side."""
    _, height, width, channels = images.shape
    rows, columns = (round(CROP_MARGIN * size / AUTHORS_PIXELS) for size in (height, width))
    padded = jnp.pad(images, ((0, 0), (rows, rows), (columns, columns), (0, 0)), mode="edge")
    corners = jax.random.randint(key, (len(images), 2), 0, jnp.array([[2 * rows + 1, 2 * columns + 1]]))

    def window(image: Array, corner: Array) -> Array:
        return jax.lax.dynamic_slice(image, (corner[0], corner[1], 0), (height, width, channels))

    return jax.vmap(window)(padded, corners)


def random_convolution(key: Key, images: Array) -> Array:
    """A 3 x 3 convolution without bias, of random weights (Glorot's normal), zero beyond the border."""
    count, height, width, channels = images.shape
    deviation = (2 / (9 * channels + 9 * channels)) ** 0.5
    kernels = deviation * jax.random.normal(key, (count, 3, 3, channels, channels))
    padded = jnp.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    # Sums of products, which one loop computes: a convolution with other weights for each image is thirty times slower.
    response = jnp.zeros_like(images)
    for row, column, channel in itertools.product(range(3), range(3), range(channels)):
        neighbour = padded[:, row : row + height, column : column + width, channel, None]
        response += neighbour * kernels[:, None, None, row, column, channel]
    return response


def grayscale(key: Key, images: Array) -> Array:
    del key
    return jnp.broadcast_to(luminance(images), images.shape)


def flip(key: Key, images: Array) -> Array:
    """Upside down, for every other image."""
    return _where_each(jax.random.bernoulli(key, 0.5, (len(images),)), images[:, ::-1], images)


def rotate(key: Key, images: Array) -> Array:
    """By none, one, two or three quarter turns."""
    turns = jax.random.randint(key, (len(images),), 0, 4)
    for turn in range(1, 4):
        images = _where_each(turns == turn, jnp.rot90(images, turn, axes=(1, 2)), images)
    return images


def cutout(key: Key, images: Array) -> Array:
    """A black box."""
    return jnp.where(_boxes(key, images), 0.0, images)


def cutout_colour(key: Key, images: Array) -> Array:
    """A box of one random colour."""
    box_key, colour_key = jax.random.split(key)
    count, _, _, channels = images.shape
    return jnp.where(_boxes(box_key, images), jax.random.uniform(colour_key, (count, 1, 1, channels)), images)


def colour_jitter(key: Key, images: Array) -> Array:
    """Contrast, hue, saturation and brightness changed at random; contrast first or last."""
    count = len(images)
    order_key, contrast_key, hue_key, saturation_key, brightness_key = jax.random.split(key, 5)
    contrast = _each(jax.random.uniform(contrast_key, (count,), minval=JITTER[0], maxval=JITTER[1]))
    hue = _each(jax.random.uniform(hue_key, (count,), minval=-HUE_TURN, maxval=HUE_TURN))
    saturation = _each(jax.random.uniform(saturation_key, (count,), minval=JITTER[0], maxval=JITTER[1]))
    brightness = _each(jax.random.uniform(brightness_key, (count,), minval=JITTER[0], maxval=JITTER[1]))
    is_first = jax.random.bernoulli(order_key, 0.5, (count,))

    images = _where_each(is_first, adjust_contrast(images, contrast), images)
    images = adjust_colours(images, hue, saturation, brightness)
    return _where_each(is_first, images, adjust_contrast(images, contrast))


def adjust_contrast(images: Array, factor: Array) -> Array:
    """Each channel's distance from its mean over the image, multiplied."""
    means = jnp.mean(images, axis=(1, 2), keepdims=True)
    return jnp.clip(means + factor * (images - means), 0, 1)


def adjust_colours(images: Array, turn: Array, saturation: Array, brightness: Array) -> Array:
    hue, old_saturation, value = jnp.split(rgb_to_hsv(images), 3, axis=-1)
    return hsv_to_rgb(
        jnp.concatenate(
            [(hue + turn) % 1, jnp.clip(saturation * old_saturation, 0, 1), jnp.clip(brightness * value, 0, 1)], axis=-1
        )
    )


AUGMENTATIONS: MappingProxyType[str, Augmentation] = MappingProxyType(
    {
        "crop": crop,
        "random-conv": random_convolution,
        "grayscale": grayscale,
        "flip": flip,
        "rotate": rotate,
        "cutout": cutout,
        "cutout-color": cutout_colour,
        "color-jitter": colour_jitter,
    }
)
"""By the names of the spec, in its order."""


def _boxes(key: Key, images: Array) -> Array:
    """Where each image has its box, [n, height, width, 1]: its corner lies as far from the pivot as it is large."""
    count, height, width, _ = images.shape
    sides = jax.random.randint(key, (count, 2), BOX_SIDES[0], BOX_SIDES[1] + 1)

    def covered(size: int, axis: int) -> Array:
        place = jnp.arange(size)[None] * AUTHORS_PIXELS / size
        start = BOX_PIVOT[axis] + sides[:, axis, None]
        return (place >= start) & (place < start + sides[:, axis, None])  # [n, size]

    return covered(height, 0)[:, :, None, None] & covered(width, 1)[:, None, :, None]


def _each(values: Array) -> Array:
    """[n] → [n, 1, 1, 1]: one number for each image."""
    return values.reshape(-1, 1, 1, 1)


def _where_each(condition: Array, chosen: Array, other: Array) -> Array:
    return jnp.where(_each(condition), chosen, other)


def luminance(image: Array) -> Array:
    """Perceived brightness of each pixel of [..., 3] in [0, 1], as [..., 1] (ITU-R BT.601)."""
    return jnp.sum(image * jnp.array([0.2989, 0.587, 0.114]).reshape((1,) * (image.ndim - 1) + (3,)), -1, keepdims=True)


def rgb_to_hsv(image: Array) -> Array:
    """Red-green-blue [..., 3] in [0, 1] to hue-saturation-value (Smith 1978)."""
    red, green, blue = (image[..., channel] for channel in range(3))
    value, smallest = jnp.max(image, axis=-1), jnp.min(image, axis=-1)
    chroma = value - smallest
    divisor = jnp.where(chroma > 0, chroma, 1)
    # No test for equality with the largest: fused programs may round the same pixel in two ways.
    sixths = jnp.where(
        (red >= green) & (red >= blue),
        (green - blue) / divisor,
        jnp.where(green >= blue, 2 + (blue - red) / divisor, 4 + (red - green) / divisor),
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
