"""Covariances of reward gains: close hyper-parameters, equal categories and near times resemble each other.

All work on what lies between two sets of points (`compare`), which does not change while a model is fitted:

    squared exponential     exp(-d^2 / (2 l^2)), one length-scale for all numbers
    time decay              (1 - e)^(|t - t'| / 2)                      Bogunovic et al. 2016, arXiv 1601.06650
    overlap                 the share of the categories that are equal
    mixed                   (1 - m) (k_h + k_x) / 2 + m k_h k_x         CoCaBO: Ru et al. 2020, arXiv 1906.08878
"""

from typing import Any, NamedTuple, Protocol

import jax.numpy as jnp

from phylon.worker.core.types import Array


class Inputs(NamedTuple):
    """Points, [n, ...]."""

    time: Array
    """float32 [n], in rounds, so that a decay is per round."""
    numbers: Array
    """float32 [n, d], each scaled to about [0, 1]."""
    categories: Array
    """int32 [n, m]; m may be 0."""


class Pairs(NamedTuple):
    """What lies between each point of one set and each of another, [n, m]."""

    squared_differences: Array
    """[n, m, d]: of each number."""
    lag: Array
    overlap: Array

    @property
    def squared_distance(self) -> Array:
        return jnp.sum(self.squared_differences, axis=-1)


class Parameters(NamedTuple):
    """What is fitted: scalars. A kernel without categories leaves the last two alone."""

    variance: Array
    length_scale: Array
    time_decay: Array
    noise: Array
    """Variance of an observation around the function; no part of the kernels here."""
    mix: Array
    category_time_decay: Array


class KernelFn(Protocol):
    """The covariance [n, m] of points so far apart. Its parameters are a NamedTuple, one field being `noise`."""

    def __call__(self, parameters: Any, pairs: Pairs) -> Array: ...


def compare(points: Inputs, others: Inputs) -> Pairs:
    difference = points.numbers[:, None, :] - others.numbers[None, :, :]
    is_equal = points.categories[:, None, :] == others.categories[None, :, :]
    return Pairs(
        squared_differences=difference**2,
        lag=jnp.abs(points.time[:, None] - others.time[None, :]),
        overlap=jnp.sum(is_equal, axis=-1) / max(1, points.categories.shape[-1]),
    )


def squared_exponential(squared_distance: Array, length_scale: Array) -> Array:
    return jnp.exp(-0.5 * squared_distance / length_scale**2)


def time_kernel(lag: Array, decay: Array) -> Array:
    return jnp.exp(0.5 * lag * jnp.log1p(-decay))


def mixed(numbers: Array, categories: Array, mix: Array) -> Array:
    """The half keeps a variance of 1 at 1 whatever the mix."""
    return (1 - mix) * 0.5 * (numbers + categories) + mix * numbers * categories


def time_varying(parameters: Parameters, pairs: Pairs) -> Array:
    """Numbers only; categories are not looked at."""
    shape = squared_exponential(pairs.squared_distance, parameters.length_scale)
    return parameters.variance * shape * time_kernel(pairs.lag, parameters.time_decay)


def time_varying_within(parameters: Parameters, pairs: Pairs) -> Array:
    """Numbers, for each combination of categories apart: one model of each, all with the same parameters."""
    return jnp.where(is_same_category(pairs), time_varying(parameters, pairs), 0.0)


def is_same_category(pairs: Pairs) -> Array:
    """bool: all categories are equal."""
    return pairs.overlap > 0.999


def time_varying_mixed(parameters: Parameters, pairs: Pairs) -> Array:
    """Numbers and categories, each drifting at its own pace."""
    numbers = squared_exponential(pairs.squared_distance, parameters.length_scale)
    numbers = numbers * time_kernel(pairs.lag, parameters.time_decay)
    categories = pairs.overlap * time_kernel(pairs.lag, parameters.category_time_decay)
    return parameters.variance * mixed(numbers, categories, parameters.mix)
