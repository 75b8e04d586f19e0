"""Initial weights of a layer."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.nn import initializers

from phylon.spec.algorithms.networks import Init
from phylon.worker.core.types import Array, Key

Initialiser = Callable[..., Array]
"""(key, shape, dtype) -> weights."""


class Start(NamedTuple):
    kernel: Initialiser
    bias: Initialiser


def start_of(init: Init, fan_in: int, gain: float = math.sqrt(2)) -> Start:
    """Initialisers of a layer with `fan_in` inputs; only orthogonal weights read `gain`.

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
            return Start(_orthogonal(gain), initializers.zeros)
        case "fan_in":
            return Start(initializers.variance_scaling(1.0, "fan_in", "uniform"), initializers.zeros)


def _orthogonal(gain: float) -> Initialiser:
    """Rows or columns of length `gain`, drawn for one member at a time.

    On a CPU a batched decomposition schedules its matrices on the same threads that it may be running on, and then
    deadlocks; so `vmap` must not batch it.
    """
    draw = initializers.orthogonal(gain)

    def initialiser(key: Key, shape: Sequence[int], dtype: jnp.dtype = jnp.float32) -> Array:
        @jax.custom_batching.sequential_vmap
        def weights(words: Array) -> Array:
            return draw(jax.random.wrap_key_data(words), tuple(shape), dtype)

        return weights(jax.random.key_data(key))

    return initialiser
