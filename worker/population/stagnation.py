"""Whether a population still makes progress: the best fitness of each selection, smoothed by a Gaussian process."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key
from phylon.worker.population.pb2 import gaussian_process as gp
from phylon.worker.population.pb2.fitting import Bounds, fit
from phylon.worker.population.pb2.kernels import Inputs
from phylon.worker.population.trust_region.kernel import limits_of, numbers_alone, usual_parameters

CAPACITY = 128
"""Latest points that are looked at."""
RECENT, ENOUGH = 14, 15
"""From `ENOUGH` points on, the last `RECENT` of them must have brought the best up by one deviation."""
SPACING = 0.1
"""Between two points, on the scale of the length-scales: 2 to 100 points."""
LIMITS = limits_of(1) | {"length_scales": Bounds(0.2, 10.0, 1.0, is_logarithmic=True)}


class Series(NamedTuple):
    values: Array
    """float32 [CAPACITY]: the first `count` are there."""
    count: Array
    fails: Array
    """int32: points in a row that were no progress."""


def empty_series() -> Series:
    return Series(jnp.zeros(CAPACITY, jnp.float32), jnp.int32(0), jnp.int32(0))


def extend(key: Key, series: Series, best: Array) -> Series:
    """With one more point; one that is no number is left out."""
    is_full = series.count == CAPACITY
    values = jnp.where(is_full, jnp.roll(series.values, -1), series.values)
    count = jnp.minimum(series.count + 1, CAPACITY)
    values = values.at[count - 1].set(best)
    smooth = smoothed(key, values, count)
    is_fail = (count >= 2) & (smooth[count - 1] <= smooth[count - 2])
    extended = Series(values, count, jnp.where(is_fail, series.fails + 1, 0))
    return jax.tree.map(lambda new, old: jnp.where(jnp.isfinite(best), new, old), extended, series)


def is_stagnant(series: Series, patience: int) -> Array:
    """bool: no progress `patience` times in a row, or hardly any for long."""
    places = jnp.arange(CAPACITY)
    values = standardised(series.values, series.count)
    best = jnp.max(jnp.where(places < series.count, values, -jnp.inf))
    earlier = jnp.max(jnp.where(places < series.count - RECENT, values, -jnp.inf))
    return (series.fails >= patience) | ((series.count >= ENOUGH) & (best - earlier < 1))


def smoothed(key: Key, values: Array, count: Array) -> Array:
    """The process's mean at each point, in deviations; a length-scale and a noise are fitted."""
    places = jnp.arange(CAPACITY)
    time = jnp.zeros(CAPACITY, jnp.float32)
    inputs = Inputs(time, SPACING * places.astype(jnp.float32)[:, None], jnp.zeros((CAPACITY, 0), jnp.int32))
    data = gp.Data(inputs, standardised(values, count), places < count)
    parameters = fit(key, numbers_alone, data, usual_parameters(1), LIMITS)
    return gp.predict_mean(numbers_alone, gp.condition(numbers_alone, parameters, data), inputs)


def standardised(values: Array, count: Array) -> Array:
    """With mean 0 and deviation 1 over the first `count`; 0 elsewhere, and where all are alike."""
    is_there = jnp.arange(len(values)) < count
    number = jnp.maximum(count, 1)
    centred = jnp.where(is_there, values - jnp.sum(jnp.where(is_there, values, 0.0)) / number, 0.0)
    deviation = jnp.sqrt(jnp.sum(centred**2) / number)
    largest = jnp.max(jnp.where(is_there, jnp.abs(values), 0.0))
    return jnp.where(deviation > 1e-6 * largest, centred / jnp.maximum(deviation, 1e-30), 0.0)
