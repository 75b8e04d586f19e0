"""A multi-layer perceptron.

Layers carry explicit names, because checkpoints depend on them. Weights and biases start uniform in ±1/sqrt(fan-in),
the default of the library in which TD3's authors wrote their code: the published results rest on it.
"""

from collections.abc import Callable, Sequence
from typing import cast

import flax.linen as nn
import jax
import jax.numpy as jnp

from phylon.spec import MLPSpec
from phylon.spec.algorithms.networks import Activation
from worker.core.types import Array, Key, Params
from worker.networks.network import Network

ACTIVATIONS: dict[Activation, Callable[[Array], Array]] = {"relu": nn.relu, "elu": nn.elu, "tanh": jnp.tanh}


def mlp(spec: MLPSpec, inputs: int, outputs: int) -> Network:
    """[..., inputs] -> [..., outputs]; the last layer is linear."""
    layers = Layers(spec.hidden, outputs, spec.activation)

    def init(key: Key) -> Params:
        return layers.init(key, jnp.zeros(inputs))

    def apply(params: Params, values: Array) -> Array:
        return cast(Array, layers.apply(params, values))

    return Network(init, apply)


class Layers(nn.Module):
    hidden: Sequence[int]
    outputs: int
    activation: Activation

    @nn.compact
    def __call__(self, values: Array) -> Array:
        for number, width in enumerate(self.hidden):
            values = ACTIVATIONS[self.activation](_dense(width, values, f"hidden_{number}"))
        return _dense(self.outputs, values, "output")


def _dense(width: int, values: Array, name: str) -> Array:
    limit = values.shape[-1] ** -0.5

    def initialise(key: Key, shape: Sequence[int], dtype: jnp.dtype = jnp.float32) -> Array:
        return jax.random.uniform(key, shape, dtype, -limit, limit)

    return nn.Dense(width, kernel_init=initialise, bias_init=initialise, name=name)(values)
