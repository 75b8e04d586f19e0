"""The likeliest parameters of a Gaussian process within their bounds, by autodiff from several starts.

A bounded number is a sigmoid of an unbounded one, along its logarithm where that is the natural scale.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from phylon.worker.core.types import Array, Key
from phylon.worker.population.pb2.gaussian_process import Data, log_likelihood
from phylon.worker.population.pb2.kernels import KernelFn, Parameters, compare

STEPS = 20
FIRST_STEP = 0.5
LONGEST_STEP = 2.0
DRAWN_STARTS = 1


AnyParameters = TypeVar("AnyParameters", bound=Any)


class Bounds(NamedTuple):
    low: float
    high: float
    usual: float
    """Where one of the starts is."""
    is_logarithmic: bool = False


BOUNDS = {
    "variance": Bounds(0.1, 4.0, 1.0, is_logarithmic=True),
    # The papers' code clips l of exp(-d^2 / l) at 1, which is 0.71 here; a longer one says that the numbers are idle.
    "length_scale": Bounds(0.1, 2.0, 0.5, is_logarithmic=True),
    "time_decay": Bounds(1e-4, 0.5, 0.1),
    "noise": Bounds(5e-3, 1.0, 0.1, is_logarithmic=True),
    "mix": Bounds(0.01, 0.99, 0.5),
    "category_time_decay": Bounds(1e-4, 0.5, 0.1),
}


def usual_parameters() -> Parameters:
    return Parameters(*(jnp.float32(BOUNDS[name].usual) for name in Parameters._fields))


def fit(
    key: Key, kernel: KernelFn, data: Data, previous: AnyParameters, limits: Mapping[str, Bounds] = BOUNDS
) -> AnyParameters:
    """One start is the fit of the last time, `previous`, one the usual values, and the others are drawn.

    `limits`: of each field of the kernel's parameters, which may be arrays.
    """
    pairs = compare(data.inputs, data.inputs)

    def loss(free: Array) -> Array:
        return -log_likelihood(kernel, bounded(free, previous, limits), pairs, data.targets, data.is_there)

    last = unbounded(previous, limits)
    usual = unbounded(usual_like(previous, limits), limits)
    drawn = jax.random.uniform(key, (DRAWN_STARTS, len(last)), jnp.float32, -2.0, 2.0)
    starts = jnp.concatenate([jnp.stack([last, usual]), drawn])
    places, losses = jax.vmap(lambda start: _descend(loss, start))(starts)
    return bounded(places[jnp.argmin(losses)], previous, limits)


def bounded(free: Array, like: AnyParameters, limits: Mapping[str, Bounds] = BOUNDS) -> AnyParameters:
    """Any real numbers, as many as `like` has, as parameters within their bounds."""
    _, unravel = ravel_pytree(like)
    shares = unravel(jax.nn.sigmoid(free))._asdict()
    return like._replace(**{name: _at(limits[name], share) for name, share in shares.items()})


def unbounded(parameters: Any, limits: Mapping[str, Bounds] = BOUNDS) -> Array:
    """The inverse of `bounded`. A bound itself is taken for a place just inside, where there is still a slope."""
    shares = {name: _share(limits[name], value) for name, value in parameters._asdict().items()}
    return jax.scipy.special.logit(jnp.clip(ravel_pytree(parameters._replace(**shares))[0], 0.01, 0.99))


def usual_like(like: AnyParameters, limits: Mapping[str, Bounds]) -> AnyParameters:
    return like._replace(**{name: jnp.full_like(value, limits[name].usual) for name, value in like._asdict().items()})


class _Place(NamedTuple):
    free: Array
    loss: Array
    gradient: Array
    inverse_hessian: Array
    radius: Array
    """The longest step that is trusted."""


def _descend(loss: Callable[[Array], Array], start: Array) -> tuple[Array, Array]:
    """Where a descent from `start` ends, and its loss: BFGS within a radius of trust, one evaluation a step."""
    value_and_gradient = jax.value_and_grad(loss)

    def step(place: _Place, _: None) -> tuple[_Place, None]:
        move = -place.inverse_hessian @ place.gradient
        move = move * jnp.minimum(1.0, place.radius / jnp.maximum(jnp.linalg.norm(move), 1e-9))
        free = place.free + move
        value, gradient = value_and_gradient(free)
        is_number = jnp.isfinite(value) & jnp.all(jnp.isfinite(gradient))
        is_better = is_number & (value < place.loss)
        # What was learned of the curvature counts even where the step is taken back.
        bend = jnp.where(is_number, gradient - place.gradient, 0.0)
        free, value, gradient = jax.tree.map(partial(jnp.where, is_better), (free, value, gradient), place[:3])
        radius = jnp.where(is_better, jnp.minimum(2 * place.radius, LONGEST_STEP), 0.25 * jnp.linalg.norm(move))
        return _Place(free, value, gradient, _bfgs(place.inverse_hessian, move, bend), radius), None

    value, gradient = value_and_gradient(start)
    size = jnp.maximum(jnp.linalg.norm(gradient), 1e-9)
    begin = _Place(start, value, gradient, jnp.eye(len(start), dtype=jnp.float32) / size, jnp.float32(FIRST_STEP))
    end, _ = jax.lax.scan(step, begin, length=STEPS)
    return end.free, jnp.where(jnp.isfinite(end.loss), end.loss, jnp.inf)


def _bfgs(inverse_hessian: Array, move: Array, bend: Array) -> Array:
    """The inverse Hessian after a move [d] over which the gradient changed by `bend`; as before if it is not convex."""
    curvature = jnp.dot(move, bend)
    is_convex = curvature > 1e-6
    scale = 1 / jnp.where(is_convex, curvature, 1.0)
    identity = jnp.eye(len(move), dtype=jnp.float32)
    left = identity - scale * move[:, None] * bend[None, :]
    updated = left @ inverse_hessian @ left.T + scale * move[:, None] * move[None, :]
    return jnp.where(is_convex, updated, inverse_hessian)


def _at(bounds: Bounds, share: Array) -> Array:
    low, high = bounds.low, bounds.high
    if bounds.is_logarithmic:
        return jnp.exp(np.log(low) + share * np.log(high / low))
    return low + share * (high - low)


def _share(bounds: Bounds, value: Array) -> Array:
    low, high = bounds.low, bounds.high
    if bounds.is_logarithmic:
        return (jnp.log(value) - np.log(low)) / np.log(high / low)
    return (value - low) / (high - low)
