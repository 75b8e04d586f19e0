"""A multi-layer perceptron.

Layers carry explicit names, because checkpoints depend on them. Weights and biases start uniform in ±1/sqrt(fan-in): the
default of the library in which TD3's authors wrote their code, on which the published results rest.
"""

from collections.abc import Callable, Sequence

import flax.linen as nn
import jax
import jax.numpy as jnp

from phylon.spec.algorithms import Activation
from worker.core.types import Array, Key

ACTIVATIONS: dict[Activation, Callable[[Array], Array]] = {"relu": nn.relu, "elu": nn.elu, "tanh": jnp.tanh}


class MLP(nn.Module):
    hidden: Sequence[int]
    outputs: int
    activation: Activation

    @nn.compact
    def __call__(self, inputs: Array) -> Array:
        """[..., inputs] -> [..., outputs]; the last layer is linear."""
        values = inputs
        for number, width in enumerate(self.hidden):
            values = ACTIVATIONS[self.activation](_dense(width, values, f"hidden_{number}"))
        return _dense(self.outputs, values, "output")


def _dense(width: int, inputs: Array, name: str) -> Array:
    limit = inputs.shape[-1] ** -0.5

    def initialise(key: Key, shape: Sequence[int], dtype: jnp.dtype = jnp.float32) -> Array:
        return jax.random.uniform(key, shape, dtype, -limit, limit)

    return nn.Dense(width, kernel_init=initialise, bias_init=initialise, name=name)(inputs)
