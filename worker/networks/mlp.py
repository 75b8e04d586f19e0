"""A multi-layer perceptron. Layers carry explicit names, because checkpoints depend on them."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, cast

import flax.linen as nn
import jax.numpy as jnp

from phylon.spec import MLPSpec
from phylon.spec.algorithms.networks import Activation
from phylon.worker.core.types import Array, Key, Params
from phylon.worker.networks.dense_layer import Dense
from phylon.worker.networks.initialisers import start_of
from phylon.worker.networks.network import Network

ACTIVATIONS: dict[Activation, Callable[[Array], Array]] = {
    "relu": nn.relu,
    "elu": nn.elu,
    "tanh": jnp.tanh,
    "gelu": partial(nn.gelu, approximate=False),
    "silu": nn.silu,
}
LAYER_NORM_EPSILON = 1e-5


class Head(NamedTuple):
    """A linear layer on top of the last hidden one."""

    width: int
    gain: float = math.sqrt(2)
    """Of orthogonal weights."""


def mlp(spec: MLPSpec, inputs: int, outputs: int) -> Network:
    """[..., inputs] -> [..., outputs]; the last layer is linear."""
    layers = mlp_with_heads(spec, inputs, {"output": Head(outputs)})

    def apply(params: Params, values: Array) -> Array:
        return layers.apply(params, values)["output"]

    return Network(layers.init, apply)


def mlp_with_heads(spec: MLPSpec, inputs: int, heads: Mapping[str, Head]) -> Network[dict[str, Array]]:
    """[..., inputs] -> [..., width] for each head by its name."""
    layers = Layers(spec, tuple(heads.items()))

    def init(key: Key) -> Params:
        return layers.init(key, jnp.zeros(inputs))

    def apply(params: Params, values: Array) -> dict[str, Array]:
        return cast(dict[str, Array], layers.apply(params, values))

    return Network(init, apply)


class Layers(nn.Module):
    spec: MLPSpec
    heads: tuple[tuple[str, Head], ...]

    @nn.compact
    def __call__(self, values: Array) -> dict[str, Array]:
        for number, width in enumerate(self.spec.hidden):
            values = self._dense(values, width, f"hidden_{number}")
            values = self._activate(values, number)
        return {name: self._dense(values, head.width, name, head.gain) for name, head in self.heads}

    def _activate(self, values: Array, number: int) -> Array:
        activate = ACTIVATIONS[self.spec.activation]
        match self.spec.layer_norm:
            case "first" if number == 0:
                return jnp.tanh(self._normalise(values, number))
            case "all":
                return activate(self._normalise(values, number))
            case _:
                return activate(values)

    def _normalise(self, values: Array, number: int) -> Array:
        return nn.LayerNorm(epsilon=LAYER_NORM_EPSILON, name=f"norm_{number}")(values)

    def _dense(self, values: Array, width: int, name: str, gain: float = math.sqrt(2)) -> Array:
        start = start_of(self.spec.init, values.shape[-1], gain)
        return Dense(width, start, name=name)(values)
