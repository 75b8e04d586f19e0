"""A layer of convolution that trains fast inside of loops, where all our updates are.

On a CPU, XLA has fast code only for convolutions whose axes stand in the usual order. Elsewhere in a program it brings
others into that order, inside of a loop it does not (JAX issue 12868); and the gradients that JAX derives are of other
orders, so that a training step takes twenty times as long. Here the gradients are written down, as convolutions of
transposed arrays.
"""

from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array
from phylon.worker.networks.initialisers import Start
from phylon.worker.networks.transposed_copy import transposed_copy

AXES = ("NHWC", "HWIO", "NHWC")


class Convolution(nn.Module):
    """Images [..., height, width, channels]; windows are square, and the image has `margin` zeros on each side."""

    channels: int
    side: int
    start: Start
    stride: int = 1
    margin: int = 0

    @nn.compact
    def __call__(self, images: Array) -> Array:
        shape = (self.side, self.side, images.shape[-1], self.channels)
        kernel = self.param("kernel", self.start.kernel, shape)
        bias = self.param("bias", self.start.bias, (self.channels,))
        result: Array = convolve(images.reshape(-1, *images.shape[-3:]), kernel, self.stride, self.margin)
        return result.reshape(*images.shape[:-3], *result.shape[1:]) + bias.reshape((1,) * (images.ndim - 1) + (-1,))


@partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def convolve(images: Array, kernel: Array, stride: int, margin: int) -> Array:
    """images [n, height, width, inputs], kernel [side, side, inputs, outputs] -> [n, rows, columns, outputs]."""
    return _convolve(images, kernel, ((margin, margin),) * 2, stride=stride)


def _forward(images: Array, kernel: Array, stride: int, margin: int) -> tuple[Array, tuple[Array, Array]]:
    return convolve(images, kernel, stride, margin), (images, kernel)


def _backward(stride: int, margin: int, inputs: tuple[Array, Array], gradient: Array) -> tuple[Array, Array]:
    images, kernel = inputs
    side = kernel.shape[0]
    spans = [(size - 1) * stride + 1 for size in gradient.shape[1:3]]  # of the windows' corners

    # each pixel: what it gave to all windows that it lay in, which is a convolution with the mirrored kernel
    mirrored = jnp.flip(kernel, (0, 1)).transpose(0, 1, 3, 2)
    before = side - 1 - margin
    borders = [(before, size - span - before + side - 1) for size, span in zip(images.shape[1:3], spans, strict=True)]
    image_gradient = _convolve(gradient, mirrored, borders, spread=stride)

    # each weight: the image at its place of all windows times their gradients, images and channels changing roles
    after = [span + side - 1 - size - margin for size, span in zip(images.shape[1:3], spans, strict=True)]
    seen = images[:, : images.shape[1] + min(after[0], 0), : images.shape[2] + min(after[1], 0)]
    kernel_gradient = _convolve(
        transposed_copy(seen, 3, 1, 2, 0),
        transposed_copy(gradient, 1, 2, 0, 3),
        [(margin, max(border, 0)) for border in after],
        gaps=stride,
    )
    return image_gradient, kernel_gradient.transpose(1, 2, 0, 3)


convolve.defvjp(_forward, _backward)


def _convolve(
    images: Array,
    kernel: Array,
    borders: list[tuple[int, int]] | tuple[tuple[int, int], ...],
    stride: int = 1,
    spread: int = 1,
    gaps: int = 1,
) -> Array:
    """`spread` draws the images' pixels apart, `gaps` the kernel's weights."""
    return jax.lax.conv_general_dilated(images, kernel, (stride, stride), borders, (spread, spread), (gaps, gaps), AXES)
