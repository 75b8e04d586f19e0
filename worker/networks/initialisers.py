"""How the weights of a dense layer start."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.nn import initializers

from phylon.spec.algorithms.networks import Init
from worker.core.types import Array, Key

Initialiser = Callable[..., Array]
"""(key, shape, dtype) -> weights."""


class Start(NamedTuple):
    kernel: Initialiser
    bias: Initialiser


def start_of(init: Init, fan_in: int, gain: float = math.sqrt(2)) -> Start:
    """Initialisers of a layer with `fan_in` inputs; `gain` is for orthogonal weights only.

    uniform: weights and biases in ±1/sqrt(fan-in), the default of the library in which TD3's authors wrote their code.
    orthogonal: jaxrl's; rows or columns are orthogonal and of length `gain` (Saxe et al. 2014).
    fan_in: weights in ±sqrt(3/fan-in), whose variance is 1/fan-in.
    """
    match init:
        case "uniform":
            limit = fan_in**-0.5

            def uniform(key: Key, shape: Sequence[int], dtype: jnp.dtype = jnp.float32) -> Array:
                return jax.random.uniform(key, shape, dtype, -limit, limit)

            return Start(uniform, uniform)
        case "orthogonal":
            return Start(initializers.orthogonal(gain), initializers.zeros)
        case "fan_in":
            return Start(initializers.variance_scaling(1.0, "fan_in", "uniform"), initializers.zeros)
