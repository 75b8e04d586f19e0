"""The torso of IMPALA's residual network (Espeholt et al. 2018, figure 3, right; Cobbe et al. 2020 for Procgen).

each stage:  3 x 3 convolution, 3 x 3 max-pool with stride 2, two residual blocks
each block:  x + convolution(relu(convolution(relu(x))))
at the end:  relu, flat
"""

from typing import cast

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax.nn import initializers

from phylon.spec.algorithms.convolutions import ImpalaSpec
from phylon.worker.core.types import Array, Key, Params
from phylon.worker.networks.convolution_layer import Convolution
from phylon.worker.networks.initialisers import Start
from phylon.worker.networks.network import Network

BLOCKS = 2


def impala(spec: ImpalaSpec, shape: tuple[int, ...]) -> Network:
    """Float images [..., height, width, channels] of the given shape -> features [..., n]."""
    layers = Impala(spec.channels)

    def init(key: Key) -> Params:
        return layers.init(key, jnp.zeros(shape))

    def apply(params: Params, images: Array) -> Array:
        return cast(Array, layers.apply(params, images))

    return Network(init, apply)


class Impala(nn.Module):
    channels: tuple[int, ...]

    @nn.compact
    def __call__(self, values: Array) -> Array:
        for number, channels in enumerate(self.channels):
            values = _convolution(channels, f"stage_{number}")(values)
            values = _pooled(values)
            for block in range(BLOCKS):
                name = f"stage_{number}_block_{block}"
                change = _convolution(channels, f"{name}_first")(nn.relu(values))
                values += _convolution(channels, f"{name}_second")(nn.relu(change))
        return nn.relu(values).reshape(*values.shape[:-3], -1)


def _pooled(images: Array) -> Array:
    """Maxima of 3 x 3 windows at every other pixel, the border included.

    Of slices, first over rows and then over columns: a fourth of the time of a window's own gradient.
    """
    border = ((0, 0),) * (images.ndim - 3) + ((1, 1), (1, 1), (0, 0))
    images = jnp.pad(images, border, constant_values=-jnp.inf)
    for axis in (-3, -2):
        count = (images.shape[axis] - 1) // 2
        slices = [jax.lax.slice_in_dim(images, first, first + 2 * count - 1, 2, axis) for first in range(3)]
        images = jnp.maximum(jnp.maximum(slices[0], slices[1]), slices[2])
    return images


def _convolution(channels: int, name: str) -> Convolution:
    """Weights start as in the Procgen code of DrAC's authors (Glorot & Bengio 2010), biases at zero."""
    start = Start(initializers.glorot_uniform(), initializers.zeros)
    return Convolution(channels, side=3, start=start, margin=1, name=name)
