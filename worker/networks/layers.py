"""Dense and convolution layers whose gradients are fast on a CPU inside loops, where all our updates run."""

from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax.experimental.xla_metadata import set_xla_metadata

from phylon.worker.core.types import Array
from phylon.worker.networks.initialisers import Start

AXES = ("NHWC", "HWIO", "NHWC")


class Dense(nn.Module):
    """[..., inputs] -> [..., width].

    XLA on a CPU multiplies matrices at the full speed of the core, unless one of them is read transposed, as in every
    product of a gradient: then at two thirds of it. So the smaller operand is copied first, and all products are plain.
    """

    width: int
    start: Start

    @nn.compact
    def __call__(self, values: Array) -> Array:
        weights = self.param("kernel", self.start.kernel, (values.shape[-1], self.width))
        bias = self.param("bias", self.start.bias, (self.width,))
        result: Array = multiply(values.reshape(-1, values.shape[-1]), weights)
        return result.reshape(*values.shape[:-1], self.width) + bias.reshape((1,) * (values.ndim - 1) + (-1,))


@jax.custom_vjp
def multiply(rows: Array, weights: Array) -> Array:
    """rows [n, inputs], weights [inputs, outputs] -> [n, outputs]."""
    return rows @ weights


def _multiply_forward(rows: Array, weights: Array) -> tuple[Array, tuple[Array, Array]]:
    return multiply(rows, weights), (rows, weights)


def _multiply_backward(arguments: tuple[Array, Array], gradient: Array) -> tuple[Array, Array]:
    rows, weights = arguments
    return _multiply_by_transpose(gradient, weights), _multiply_transpose_by(rows, gradient)


multiply.defvjp(_multiply_forward, _multiply_backward)


def _multiply_by_transpose(left: Array, right: Array) -> Array:
    """left [n, k] times the transpose of right [m, k]."""
    (n, k), m = left.shape, len(right)
    if m * k <= n * k + n * m:
        return left @ transposed_copy(right)
    return transposed_copy(right @ transposed_copy(left))


def _multiply_transpose_by(left: Array, right: Array) -> Array:
    """The transpose of left [k, n] times right [k, m]."""
    (k, n), m = left.shape, right.shape[1]
    if k * n <= k * m + n * m:
        return transposed_copy(left) @ right
    return transposed_copy(transposed_copy(right) @ left)


class Convolution(nn.Module):
    """Images [..., height, width, channels]; windows are square, and the image has `margin` zeros on each side.

    XLA on a CPU has fast code only for convolutions whose axes are in the usual order. Elsewhere in a program it
    transposes others into that order, inside a loop it does not (JAX issue 12868). The gradients that JAX derives have
    other orders, which makes a training step twenty times slower. So the gradients are written out here, as
    convolutions of transposed arrays.
    """

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


def _convolve_forward(images: Array, kernel: Array, stride: int, margin: int) -> tuple[Array, tuple[Array, Array]]:
    return convolve(images, kernel, stride, margin), (images, kernel)


def _convolve_backward(stride: int, margin: int, inputs: tuple[Array, Array], gradient: Array) -> tuple[Array, Array]:
    images, kernel = inputs
    side = kernel.shape[0]
    spans = [(size - 1) * stride + 1 for size in gradient.shape[1:3]]  # covered by the windows' corners

    # Per pixel: its contribution to every window that covers it, which is a convolution with the mirrored kernel.
    mirrored = jnp.flip(kernel, (0, 1)).transpose(0, 1, 3, 2)
    before = side - 1 - margin
    borders = [(before, size - span - before + side - 1) for size, span in zip(images.shape[1:3], spans, strict=True)]
    image_gradient = _convolve(gradient, mirrored, borders, spread=stride)

    # Per weight: the pixels under it in all windows times the windows' gradients; images and channels swap roles.
    after = [span + side - 1 - size - margin for size, span in zip(images.shape[1:3], spans, strict=True)]
    seen = images[:, : images.shape[1] + min(after[0], 0), : images.shape[2] + min(after[1], 0)]
    kernel_gradient = _convolve(
        transposed_copy(seen, 3, 1, 2, 0),
        transposed_copy(gradient, 1, 2, 0, 3),
        [(margin, max(border, 0)) for border in after],
        gaps=stride,
    )
    return image_gradient, kernel_gradient.transpose(1, 2, 0, 3)


convolve.defvjp(_convolve_forward, _convolve_backward)


def _convolve(
    images: Array,
    kernel: Array,
    borders: list[tuple[int, int]] | tuple[tuple[int, int], ...],
    stride: int = 1,
    spread: int = 1,
    gaps: int = 1,
) -> Array:
    """`spread` dilates the images, `gaps` the kernel."""
    return jax.lax.conv_general_dilated(images, kernel, (stride, stride), borders, (spread, spread), (gaps, gaps), AXES)


def transposed_copy(array: Array, *axes: int) -> Array:
    """The array with its axes permuted, on a CPU written to memory of its own; without axes, a matrix transpose.

    Left to itself, XLA makes no copy on a CPU, or fuses it with the computation of the array into a loop three times as
    slow. Nothing is fused across the border of a call that is not inlined. GPUs read a transposed operand at no cost.
    """
    order = axes or (1, 0)

    def copy(array: Array) -> Array:
        with set_xla_metadata(inlineable="false"):
            return _transpose(array, order)

    return jax.lax.platform_dependent(array, cpu=copy, default=lambda array: array.transpose(order))


@partial(jax.jit, static_argnums=1)
def _transpose(array: Array, axes: tuple[int, ...]) -> Array:
    return array.transpose(axes)
