"""Exact Gaussian process regression on a buffer of fixed size, of which a mask says what is there.

A point that is not there has a row and column of the unit matrix and the target 0: it adds nothing to the likelihood
and nothing to a prediction, so the program does not depend on how much is known.

All is in float32. That holds because targets are standardised and fitted parameters are bounded (see `fitting`): the
worst condition of the covariance of 1000 points is about 8 x 10^5.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.types import Array
from phylon.worker.population.pb2.kernels import Inputs, KernelFn, Pairs, compare


class Data(NamedTuple):
    inputs: Inputs
    targets: Array
    """float32 [n], standardised."""
    is_there: Array
    """bool [n]."""


class Posterior(NamedTuple):
    """A model that has seen its data."""

    parameters: Any
    """Those of the kernel."""
    inputs: Inputs
    is_there: Array
    whitening: Array
    """The inverse of the lower Cholesky factor of the covariance, [n, n]."""
    weights: Array
    """The covariance's inverse times the targets, [n]."""


def covariance(kernel: KernelFn, parameters: Any, pairs: Pairs, is_there: Array) -> Array:
    """Of the observations, [n, n]."""
    both = is_there[:, None] & is_there[None, :]
    identity = jnp.eye(len(is_there), dtype=jnp.float32)
    diagonal = jnp.where(is_there, parameters.noise, 1.0)
    return jnp.where(both, kernel(parameters, pairs), 0.0) + identity * diagonal[:, None]


@jax.custom_batching.sequential_vmap
def whiten(matrix: Array) -> Array:
    """The inverse of the lower Cholesky factor, [n, n]; NaN if there is none.

    Never of several matrices at once: on CPUs that is shared out over the very threads that it may be running on, and
    then waits for ever.
    """
    identity = jnp.eye(len(matrix), dtype=jnp.float32)
    return jax.scipy.linalg.solve_triangular(jnp.linalg.cholesky(matrix), identity, lower=True)


@jax.custom_vjp
def gaussian_log_density(matrix: Array, targets: Array) -> Array:
    """Of targets [n] under a covariance [n, n]. Its slope in closed form is several times cheaper than autodiff's."""
    return _log_density_and_slopes(matrix, targets)[0]


def _log_density_and_slopes(matrix: Array, targets: Array) -> tuple[Array, tuple[Array, Array]]:
    whitening = whiten(matrix)
    whitened = whitening @ targets
    weights = whitening.T @ whitened
    log_root = jnp.sum(jnp.log(jnp.diag(whitening)))  # of the determinant of the inverse
    density = -0.5 * jnp.sum(whitened**2) + log_root - 0.5 * len(matrix) * np.log(2 * np.pi)
    return density, (0.5 * (weights[:, None] * weights[None, :] - whitening.T @ whitening), -weights)


gaussian_log_density.defvjp(_log_density_and_slopes, lambda slopes, scale: (scale * slopes[0], scale * slopes[1]))


def log_likelihood(kernel: KernelFn, parameters: Any, pairs: Pairs, targets: Array, is_there: Array) -> Array:
    """The logarithm of the marginal likelihood of the targets that are there."""
    matrix = covariance(kernel, parameters, pairs, is_there)
    absent = jnp.sum(~is_there)
    return gaussian_log_density(matrix, jnp.where(is_there, targets, 0.0)) + 0.5 * absent * np.log(2 * np.pi)


def condition(kernel: KernelFn, parameters: Any, data: Data) -> Posterior:
    matrix = covariance(kernel, parameters, compare(data.inputs, data.inputs), data.is_there)
    whitening = whiten(matrix)
    weights = whitening.T @ (whitening @ jnp.where(data.is_there, data.targets, 0.0))
    return Posterior(parameters, data.inputs, data.is_there, whitening, weights)


def predict_mean(kernel: KernelFn, posterior: Posterior, points: Inputs) -> Array:
    """Of the function, [m]."""
    return _towards(kernel, posterior, points) @ posterior.weights


def predict_variance(kernel: KernelFn, posterior: Posterior, points: Inputs) -> Array:
    """Of the function, without an observation's noise, [m]. Targets have no part in it."""
    explained = jnp.sum((_towards(kernel, posterior, points) @ posterior.whitening.T) ** 2, axis=-1)
    nothing = jnp.zeros_like(explained)
    own = Pairs(jnp.zeros_like(points.numbers), nothing, nothing + 1)
    return jnp.maximum(kernel(posterior.parameters, own) - explained, 1e-6)


def _towards(kernel: KernelFn, posterior: Posterior, points: Inputs) -> Array:
    """The covariance [m, n] of points with the data that is there."""
    values = kernel(posterior.parameters, compare(points, posterior.inputs))
    return jnp.where(posterior.is_there[None, :], values, 0.0)
