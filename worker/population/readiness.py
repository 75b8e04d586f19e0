"""Asynchronous selection: when each member is ready to be judged.

All members step on one clock, so what makes them ready at different times in a cluster is drawn here: the time from one
readiness of a member to its next is the method's interval times a factor from 1 - jitter to 1 + jitter. It is a whole
number of evaluations, at which the others have a fresh fitness, too, so nothing is evaluated for this alone.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.spec import ExperimentSpec
from phylon.spec.methods.pbt import AsynchronousSpec, PBTSpec, gaps_of
from phylon.worker.core.types import Array, Key


class Readiness(NamedTuple):
    """`due`: int32 [P], the number of the evaluation at which each member is ready. Pure and jittable but the last."""

    begin: Callable[[Key], Array]
    """key -> due."""
    find: Callable[[Array, Array], Array]
    """(due, step) -> who is ready, bool [P]."""
    renew: Callable[[Key, Array, Array], Array]
    """(key, due, step) -> due, after those who were ready have been judged."""
    is_anyone: Callable[[NDArray[np.int32], int], bool]
    """(due, step) on the host."""


def build_readiness(spec: ExperimentSpec, asynchronous: AsynchronousSpec) -> Readiness:
    method, size, evaluation = spec.population.method, spec.population.size, spec.evaluation.interval
    assert isinstance(method, PBTSpec)
    interval, jitter = method.interval / evaluation, asynchronous.jitter
    # A burn-in that ends before anyone is ready delays nobody; a longer one is waited for by all.
    start = 0 if method.burn_in <= gaps_of(spec)[0] * evaluation else -(-method.burn_in // evaluation)

    def draw_gaps(key: Key) -> Array:
        factors = jax.random.uniform(key, (size,), minval=1 - jitter, maxval=1 + jitter)
        return jnp.maximum(1, jnp.round(interval * factors)).astype(jnp.int32)

    def find(due: Array, step: Array) -> Array:
        return due <= step // evaluation

    def renew(key: Key, due: Array, step: Array) -> Array:
        return jnp.where(find(due, step), step // evaluation + draw_gaps(key), due).astype(jnp.int32)

    def is_anyone(due: NDArray[Any], step: int) -> bool:
        return step % evaluation == 0 and bool((due <= step // evaluation).any())

    return Readiness(lambda key: start + draw_gaps(key), find, renew, is_anyone)
