"""A dense layer that trains fast on a CPU.

There XLA multiplies matrices at the speed of the core, unless one of them is to be read transposed, as in every product
of a gradient: then at two thirds of it. So the smaller side is copied first, and all products are plain ones.
"""

import flax.linen as nn
import jax

from phylon.worker.core.types import Array
from phylon.worker.networks.initialisers import Start
from phylon.worker.networks.transposed_copy import transposed_copy


class Dense(nn.Module):
    """[..., inputs] -> [..., width]."""

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


def _forward(rows: Array, weights: Array) -> tuple[Array, tuple[Array, Array]]:
    return multiply(rows, weights), (rows, weights)


def _backward(arguments: tuple[Array, Array], gradient: Array) -> tuple[Array, Array]:
    rows, weights = arguments
    return _times_transposed(gradient, weights), _transposed_times(rows, gradient)


multiply.defvjp(_forward, _backward)


def _times_transposed(left: Array, right: Array) -> Array:
    """left [n, k] times the transpose of right [m, k]."""
    (n, k), m = left.shape, len(right)
    if m * k <= n * k + n * m:
        return left @ transposed_copy(right)
    return transposed_copy(right @ transposed_copy(left))


def _transposed_times(left: Array, right: Array) -> Array:
    """The transpose of left [k, n] times right [k, m]."""
    (k, n), m = left.shape, right.shape[1]
    if k * n <= k * m + n * m:
        return transposed_copy(left) @ right
    return transposed_copy(transposed_copy(right) @ left)
