"""Hyper-parameters of a population: the first draw, and the moves that never leave a distribution's support.

Values are float32, bounds are written in float64. `float32_support` picks the outermost float32 numbers that lie inside
the written bounds, so a value that was clipped is inside for a reader of either precision.
"""

from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from phylon.spec import Choice, Distribution, IntUniform, LogUniform, Uniform, bounds, hyperparameters, tuned
from phylon.spec.algorithms import AlgorithmSpec
from worker.core.errors import EngineError
from worker.core.keys import derive, member_keys
from worker.core.types import Array, Hyperparams, Key

SMALLEST_NORMAL = np.finfo(np.float32).tiny


class SampleFn(Protocol):
    """A fresh value of one member's hyper-parameter."""

    def __call__(self, key: Key) -> Array: ...


class PerturbFn(Protocol):
    """The value moved by a factor: a factor above 1 moves up (a choice: to the next in the list), one below 1 down."""

    def __call__(self, value: Array, factor: Array) -> Array: ...


class Prior(NamedTuple):
    """A distribution as functions of one member's scalar."""

    sample: SampleFn
    perturb: PerturbFn


class Support(NamedTuple):
    low: np.float32
    high: np.float32


def sample_hyperparams(key: Key, algorithm: AlgorithmSpec, size: int) -> Hyperparams:
    """The founders' values, float32 [size] for every field: drawn where the spec gives a distribution, else fixed."""
    return {
        name: jnp.full(size, value, jnp.float32)
        if isinstance(value, int | float)
        else jax.vmap(prior(value).sample)(member_keys(derive(key, name), size))
        for name, value in hyperparameters(algorithm).items()
    }


def priors(algorithm: AlgorithmSpec) -> dict[str, Prior]:
    """The hyper-parameters that differ between members, in declaration order."""
    return {name: prior(distribution) for name, distribution in tuned(algorithm).items()}


def float32_support(distribution: Uniform | LogUniform | IntUniform) -> Support:
    low, high = bounds(distribution)
    with np.errstate(over="ignore", under="ignore"):
        inner_low, inner_high = np.float32(low), np.float32(high)
    if float(inner_low) < low:
        inner_low = np.nextafter(inner_low, np.float32(np.inf))
    if float(inner_high) > high:
        inner_high = np.nextafter(inner_high, np.float32(-np.inf))
    if 0 < inner_low < SMALLEST_NORMAL:  # XLA flushes subnormal numbers to zero, which would be outside
        inner_low = SMALLEST_NORMAL
    if inner_low > inner_high:
        raise EngineError(
            f"no float32 number lies between the bounds {low!r} and {high!r}", "widen them, or fix the value"
        )
    return Support(inner_low, inner_high)


def prior(distribution: Distribution) -> Prior:
    match distribution:
        case Uniform():
            return _real(float32_support(distribution), logarithmic=False)
        case LogUniform():
            return _real(float32_support(distribution), logarithmic=True)
        case IntUniform():
            return _integer(float32_support(distribution))
        case Choice(choice=values):
            return _choice(jnp.asarray(values, jnp.float32))


def _real(support: Support, logarithmic: bool) -> Prior:
    low, high = support

    def sample(key: Key) -> Array:
        if logarithmic:
            value = jnp.exp(jax.random.uniform(key, (), jnp.float32, np.log(low), np.log(high)))
        else:
            value = jax.random.uniform(key, (), jnp.float32, low, high)
        return jnp.clip(value, low, high)

    def perturb(value: Array, factor: Array) -> Array:
        return jnp.clip(value * factor, low, high)

    return Prior(sample, perturb)


def _integer(support: Support) -> Prior:
    low, high = support

    def sample(key: Key) -> Array:
        return jax.random.randint(key, (), int(low), int(high) + 1).astype(jnp.float32)

    def perturb(value: Array, factor: Array) -> Array:
        """Rounding alone would pin small numbers: 2 x 1.2 is 2 again. So a move is at least one step."""
        moved = jnp.round(value * factor)
        moved = jnp.where(factor > 1, jnp.maximum(moved, value + 1), moved)
        moved = jnp.where(factor < 1, jnp.minimum(moved, value - 1), moved)
        return jnp.clip(moved, low, high)

    return Prior(sample, perturb)


def _choice(values: Array) -> Prior:
    def sample(key: Key) -> Array:
        return values[jax.random.randint(key, (), 0, len(values))]

    def perturb(value: Array, factor: Array) -> Array:
        index = jnp.argmin(jnp.abs(values - value)) + jnp.sign(factor - 1).astype(jnp.int32)
        return values[jnp.clip(index, 0, len(values) - 1)]

    return Prior(sample, perturb)
