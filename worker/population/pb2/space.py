"""The tuned hyper-parameters as a model sees them: numbers in the unit box, and categories as places in their list.

A number is scaled as its prior is: by its logarithm where that is uniform. The way back is clipped to the support and
rounded where the number is whole, so that whatever a model proposes is legal.
"""

from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from phylon.spec import Choice, IntUniform, LogUniform, Uniform, tuned
from phylon.spec.algorithms import AlgorithmSpec
from phylon.worker.core.types import Array, Hyperparams
from phylon.worker.population.hyperparams import float32_support


class Space(NamedTuple):
    numbers: Mapping[str, Uniform | LogUniform | IntUniform]
    categories: Mapping[str, Choice]


def space_of(algorithm: AlgorithmSpec) -> Space:
    distributions = tuned(algorithm)
    return Space(
        {name: value for name, value in distributions.items() if not isinstance(value, Choice)},
        {name: value for name, value in distributions.items() if isinstance(value, Choice)},
    )


def encode_numbers(space: Space, hyperparams: Hyperparams) -> Array:
    """float32 [P, d] in the unit box."""
    size = len(next(iter(hyperparams.values())))
    columns = [_to_unit(distribution, hyperparams[name]) for name, distribution in space.numbers.items()]
    return jnp.stack(columns, axis=-1) if columns else jnp.zeros((size, 0), jnp.float32)


def decode_number(distribution: Uniform | LogUniform | IntUniform, share: Array) -> Array:
    """The legal value at a place between 0 and 1."""
    low, high = float32_support(distribution)
    if isinstance(distribution, LogUniform):
        value = jnp.exp(np.log(low) + share * (np.log(high) - np.log(low)))
    else:
        value = low * (1 - share) + high * share  # no overflow where high - low has one
    if isinstance(distribution, IntUniform):
        value = jnp.round(value)
    return jnp.clip(value, low, high)


def encode_categories(space: Space, hyperparams: Hyperparams) -> Array:
    """int32 [P, m]: which of the listed values each member has."""
    size = len(next(iter(hyperparams.values())))
    columns = [_nearest(listed(choice), hyperparams[name]) for name, choice in space.categories.items()]
    return jnp.stack(columns, axis=-1) if columns else jnp.zeros((size, 0), jnp.int32)


def listed(choice: Choice) -> Array:
    return jnp.asarray(choice.choice, jnp.float32)


def _to_unit(distribution: Uniform | LogUniform | IntUniform, value: Array) -> Array:
    low, high = float32_support(distribution)
    if isinstance(distribution, LogUniform):
        share = (jnp.log(value) - np.log(low)) / (np.log(high) - np.log(low))
    else:
        # halves, so that the difference of two very large numbers stays finite
        share = (value / 2 - low / 2) / (high / 2 - low / 2)
    return jnp.clip(share, 0.0, 1.0)


def _nearest(values: Array, value: Array) -> Array:
    return jnp.argmin(jnp.abs(values[None, :] - value[:, None]), axis=-1).astype(jnp.int32)
