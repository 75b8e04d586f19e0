"""The covariance of BG-PBT: a length-scale for each number, one for all categories, and a decay with time.

numbers      Matern 5/2 of the distance in units of the length-scales
categories   exp(-s * the share of categories that differ)
together     (k_c + k_x + k_c k_x) / 3      the authors' mix of 0.5, with a variance of 1 at distance 0
time         (1 - e)^(|t - t'| / 2) times all that
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from phylon.worker.core.types import Array
from phylon.worker.population.pb2.fitting import Bounds
from phylon.worker.population.pb2.kernels import Pairs, time_kernel


class Parameters(NamedTuple):
    """What is fitted: all scalars but one."""

    variance: Array
    length_scales: Array
    """float32 [d]: of the context, and of each number."""
    category_scale: Array
    """How much categories that differ separate; a kernel without categories leaves it alone."""
    time_decay: Array
    noise: Array


def limits_of(numbers: int) -> dict[str, Bounds]:
    """`numbers`: with the context."""
    return {
        "variance": Bounds(0.5, 5.0, 1.0, is_logarithmic=True),
        # At the authors' upper limit of 0.5 no number could ever be found idle.
        "length_scales": Bounds(0.05, float(np.sqrt(numbers)), 0.5, is_logarithmic=True),
        "category_scale": Bounds(0.05, 5.0, 0.5, is_logarithmic=True),
        "time_decay": Bounds(1e-4, 0.9, 0.1),
        # Below, float32 could not decompose the covariance; above the authors' 0.1, because gains are mostly noise.
        "noise": Bounds(5e-3, 1.0, 0.1, is_logarithmic=True),
    }


def usual_parameters(numbers: int) -> Parameters:
    usual = {name: jnp.float32(bounds.usual) for name, bounds in limits_of(numbers).items()}
    return Parameters(**usual)._replace(length_scales=jnp.full(numbers, usual["length_scales"]))


def matern(squared_distance: Array) -> Array:
    """Matern 5/2 of a distance in length-scales. The sum keeps its slope finite at 0."""
    scaled = jnp.sqrt(5 * squared_distance + 1e-12)
    return (1 + scaled + scaled**2 / 3) * jnp.exp(-scaled)


def numbers_alone(parameters: Parameters, pairs: Pairs) -> Array:
    shape = matern(jnp.einsum("...d,d->...", pairs.squared_differences, parameters.length_scales**-2))
    return parameters.variance * shape * time_kernel(pairs.lag, parameters.time_decay)


def numbers_and_categories(parameters: Parameters, pairs: Pairs) -> Array:
    numbers = matern(jnp.einsum("...d,d->...", pairs.squared_differences, parameters.length_scales**-2))
    categories = jnp.exp(-parameters.category_scale * (1 - pairs.overlap))
    shape = (numbers + categories + numbers * categories) / 3
    return parameters.variance * shape * time_kernel(pairs.lag, parameters.time_decay)
