"""The torso of DQN's network (Mnih et al. 2015): convolutions without padding, each with ReLU, and a flat end."""

from typing import cast

import flax.linen as nn
import jax.numpy as jnp

from phylon.spec.algorithms.convolutions import CNNSpec
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.types import Array, Key, Params
from phylon.worker.networks.convolution_layer import Convolution
from phylon.worker.networks.initialisers import start_of
from phylon.worker.networks.network import Network


def convolutions(spec: CNNSpec, shape: tuple[int, ...]) -> Network:
    """Float images [..., height, width, channels] of the given shape -> features [..., n]."""
    _require_pixels(spec, shape)
    layers = Convolutions(spec)

    def init(key: Key) -> Params:
        return layers.init(key, jnp.zeros(shape))

    def apply(params: Params, images: Array) -> Array:
        return cast(Array, layers.apply(params, images))

    return Network(init, apply)


class Convolutions(nn.Module):
    spec: CNNSpec

    @nn.compact
    def __call__(self, values: Array) -> Array:
        layers = zip(self.spec.channels, self.spec.kernels, self.spec.strides, strict=True)
        for number, (channels, kernel, stride) in enumerate(layers):
            start = start_of(self.spec.init, kernel * kernel * values.shape[-1])
            values = Convolution(channels, kernel, start, stride, name=f"convolution_{number}")(values)
            values = nn.relu(values)
        return values.reshape(*values.shape[:-3], -1)


def _require_pixels(spec: CNNSpec, shape: tuple[int, ...]) -> None:
    """Without padding every layer makes the image smaller, and nothing may be left of a small one."""
    rows, columns, _ = shape
    for kernel, stride in zip(spec.kernels, spec.strides, strict=True):
        if kernel > min(rows, columns):
            raise UnsupportedEnvironment(
                f"images of shape {shape} are too small for kernels {spec.kernels} with strides {spec.strides}",
                "use smaller kernels or strides, fewer layers, or network: {kind: impala}",
            )
        rows, columns = (rows - kernel) // stride + 1, (columns - kernel) // stride + 1
