"""Hyper-parameters of a population: the first draw, and the moves that never leave a distribution's support.

A move that would leave the support goes half of the way to the bound instead. Its direction stays what it was, and
values do not gather on the bounds: [0.5, 0.6] is narrower than any step by a factor of 1.2, and is still searched.

Values are float32, bounds are written in float64. `float32_support` picks the outermost float32 numbers that lie inside
the written bounds, so a value that was clipped is inside for a reader of either precision.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from phylon.registry.descriptions import HyperparameterScale
from phylon.spec import Choice, Distribution, IntUniform, LogUniform, Uniform, bounds, hyperparameters
from phylon.spec.algorithms import AlgorithmSpec
from phylon.worker.core.errors import EngineError
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams, Key

SMALLEST_NORMAL = np.finfo(np.float32).tiny
LEAST_SHARE = 1e-3
"""Numbers whose draw does not prefer any order of magnitude are multiplied as if they were no closer to zero than this
share of their range: a factor alone could never move a zero."""


class SampleFn(Protocol):
    """A fresh value of one member's hyper-parameter."""

    def __call__(self, key: Key) -> Array: ...


class PerturbFn(Protocol):
    """The value moved by a factor: a factor above 1 moves up (a choice: to the next in the list), one below 1 down.

    Where the scale is `complement`, 1 - value is multiplied, so a factor above 1 moves down.
    """

    def __call__(self, value: Array, factor: Array) -> Array: ...


class ShiftFn(Protocol):
    """The value moved by a share of the range: of its logarithm where that is uniform, of the logarithm of 1 - value
    where the scale is `complement`.

    A choice moves to the next or previous one if the amount is larger than `least`.
    """

    def __call__(self, value: Array, amount: Array, least: float) -> Array: ...


class Prior(NamedTuple):
    """A distribution as functions of one member's scalar."""

    sample: SampleFn
    perturb: PerturbFn
    shift: ShiftFn
    clip: Callable[[Array], Array]
    """The nearest value of the support."""
    word: Callable[[float], str]
    """What a move by this factor is called in a lineage."""
    has_order: bool = True
    """False for names: they cannot be moved, only drawn again."""


class Support(NamedTuple):
    low: np.float32
    high: np.float32


NOTHING_SAID: Mapping[str, Sequence[float]] = MappingProxyType({})


def sample_hyperparams(
    key: Key, algorithm: AlgorithmSpec, size: int, founders: Mapping[str, Sequence[float]] = NOTHING_SAID
) -> Hyperparams:
    """The founders' values, float32 [size] for every field: drawn where the spec gives a distribution, else fixed.

    `founders` are values that the spec prescribes instead.
    """
    return {
        name: jnp.asarray(founders[name], jnp.float32)
        if name in founders
        else jnp.full(size, value, jnp.float32)
        if isinstance(value, int | float)
        else jax.vmap(prior(value).sample)(member_keys(derive(key, name), size))
        for name, value in hyperparameters(algorithm).items()
    }


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


def prior(distribution: Distribution, has_order: bool = True, scale: HyperparameterScale = "linear") -> Prior:
    """`has_order`: whether a choice is one of numbers, or one of names. `scale`: how a real number moves."""
    match distribution:
        case Uniform():
            return _real(float32_support(distribution), logarithmic=False, is_complement=scale == "complement")
        case LogUniform():
            return _real(float32_support(distribution), logarithmic=True, is_complement=scale == "complement")
        case IntUniform():
            return _integer(float32_support(distribution))
        case Choice(choice=values):
            return _choice(jnp.asarray(values, jnp.float32), has_order)


def _real(support: Support, logarithmic: bool, is_complement: bool) -> Prior:
    low, high = support
    smallest = LEAST_SHARE * (high / 2 - low / 2) * 2 if is_complement or not logarithmic else np.float32(0)

    def sample(key: Key) -> Array:
        if logarithmic:
            value = jnp.exp(jax.random.uniform(key, (), jnp.float32, np.log(low), np.log(high)))
        else:
            value = jax.random.uniform(key, (), jnp.float32, low, high)
        return clip(value)

    def perturb(value: Array, factor: Array) -> Array:
        moved = 1 - multiply(1 - value, factor) if is_complement else multiply(value, factor)
        return inside(value, moved)

    def multiply(number: Array, factor: Array) -> Array:
        return jnp.where(jnp.abs(number) < smallest, number + (factor - 1) * smallest, number * factor)

    def shift(value: Array, amount: Array, least: float) -> Array:
        del least
        if is_complement:
            orders = np.log(1 - low) - np.log(np.maximum(1 - high, smallest))
            return inside(value, 1 - jnp.maximum(1 - value, smallest) * jnp.exp(-amount * orders))
        if logarithmic:
            return inside(value, value * jnp.exp(amount * (np.log(high) - np.log(low))))
        return inside(value, value + amount * (high - low))

    def inside(value: Array, moved: Array) -> Array:
        held = clip(moved)
        return clip(jnp.where(held == moved, moved, value / 2 + held / 2))

    def clip(value: Array) -> Array:
        return jnp.clip(value, low, high)

    return Prior(sample, perturb, shift, clip, _complement_factor if is_complement else _factor)


def _integer(support: Support) -> Prior:
    low, high = support

    def sample(key: Key) -> Array:
        return jax.random.randint(key, (), int(low), int(high) + 1).astype(jnp.float32)

    def perturb(value: Array, factor: Array) -> Array:
        """Rounding alone would pin small numbers: 2 x 1.2 is 2 again. So a move is at least one step."""
        moved = jnp.round(value * factor)
        moved = jnp.where(factor > 1, jnp.maximum(moved, value + 1), moved)
        moved = jnp.where(factor < 1, jnp.minimum(moved, value - 1), moved)
        return inside(value, moved)

    def inside(value: Array, moved: Array) -> Array:
        held = clip(moved)
        way = held - value
        return jnp.where(held == moved, moved, value + jnp.sign(way) * jnp.maximum(jnp.floor(jnp.abs(way) / 2), 1))

    def shift(value: Array, amount: Array, least: float) -> Array:
        del least
        return inside(value, jnp.round(value + amount * (high - low)))

    def clip(value: Array) -> Array:
        return jnp.clip(jnp.round(value), low, high)

    return Prior(sample, perturb, shift, clip, _factor)


def _choice(values: Array, has_order: bool) -> Prior:
    def place(value: Array) -> Array:
        return jnp.argmin(jnp.abs(values - value))

    def sample(key: Key) -> Array:
        return values[jax.random.randint(key, (), 0, len(values))]

    def step(value: Array, direction: Array) -> Array:
        return values[jnp.clip(place(value) + direction.astype(jnp.int32), 0, len(values) - 1)]

    return Prior(
        sample,
        perturb=lambda value, factor: step(value, jnp.sign(factor - 1)),
        shift=lambda value, amount, least: step(value, jnp.where(jnp.abs(amount) > least, jnp.sign(amount), 0.0)),
        clip=lambda value: values[place(value)],
        word=lambda factor: "next" if factor > 1 else "previous",
        has_order=has_order,
    )


def _factor(factor: float) -> str:
    return f"x{factor:g}"


def _complement_factor(factor: float) -> str:
    return f"1-x x{factor:g}"
