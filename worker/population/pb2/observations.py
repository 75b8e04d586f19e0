"""What intervals of training have taught: a ring of the latest ones, of fixed size, the oldest overwritten first.

An observation is one member's interval: when it was and how good the member was at its start (the context), with which
hyper-parameters it trained, and how much fitness it gained. All intervals of a run are equally long, so a gain per step
would be the same number on another scale, and scale is taken out before a model is fitted.
"""

from typing import NamedTuple

import jax.numpy as jnp

from phylon.spec import ExperimentSpec
from phylon.spec.methods.pb2 import PB2FamilySpec
from phylon.spec.segments import segment_steps, segment_updates
from phylon.worker.core.types import Array

CLIP = 2.0
"""Standard deviations at which a gain is cut, as in the papers' code: one lucky interval must not bend the model."""


class Observations(NamedTuple):
    """[capacity, ...]."""

    round: Array
    """float32 [capacity]."""
    start: Array
    """Fitness at the start of the interval, float32 [capacity]."""
    numbers: Array
    """float32 [capacity, d] in the unit box."""
    categories: Array
    """int32 [capacity, m]."""
    gain: Array
    """float32 [capacity]."""
    is_there: Array
    """bool [capacity]."""
    cursor: Array
    """int32: where the next one goes."""


def rounds_of(spec: ExperimentSpec, method: PB2FamilySpec) -> int:
    """How many intervals of steps or updates the whole run has; how many the clock will make is not known."""
    training = spec.budget.env_steps
    if method.unit == "updates":
        training = training // segment_steps(spec) * segment_updates(spec)
    return training // method.interval


def capacity_of(spec: ExperimentSpec, method: PB2FamilySpec) -> int:
    """The window, or as many as the whole run has: room that nothing fills would only cost time."""
    if method.unit == "seconds":
        return method.window
    return min(method.window, spec.population.size * max(1, rounds_of(spec, method)))


def nothing(capacity: int, numbers: int, categories: int) -> Observations:
    return Observations(
        round=jnp.zeros(capacity, jnp.float32),
        start=jnp.zeros(capacity, jnp.float32),
        numbers=jnp.zeros((capacity, numbers), jnp.float32),
        categories=jnp.zeros((capacity, categories), jnp.int32),
        gain=jnp.zeros(capacity, jnp.float32),
        is_there=jnp.zeros(capacity, jnp.bool_),
        cursor=jnp.zeros((), jnp.int32),
    )


def record(
    observations: Observations, round: Array, start: Array, numbers: Array, categories: Array, fitness: Array
) -> Observations:
    """The interval of each member, [P, ...], that ends in this round. One without a finite gain teaches nothing."""
    capacity, size = len(observations.round), len(start)
    gain = fitness - start
    is_there = jnp.isfinite(gain) & jnp.isfinite(start)
    # Those that teach something come first and only they move the cursor, so none of the room is wasted.
    order = jnp.argsort(~is_there, stable=True)
    rows = jnp.where(is_there[order], (observations.cursor + jnp.arange(size)) % capacity, capacity)

    def write(ring: Array, values: Array) -> Array:
        return ring.at[rows].set(values[order], mode="drop")

    return Observations(
        round=write(observations.round, jnp.full(size, round, jnp.float32)),
        start=write(observations.start, start),
        numbers=write(observations.numbers, numbers),
        categories=write(observations.categories, categories),
        gain=write(observations.gain, gain),
        is_there=write(observations.is_there, is_there),
        cursor=(observations.cursor + jnp.sum(is_there, dtype=jnp.int32)) % capacity,
    )


class Scale(NamedTuple):
    """How a gain is standardised: (gain - centre) / spread."""

    centre: Array
    spread: Array


def standardise(values: Array, is_there: Array) -> tuple[Array, Scale]:
    """Values with mean 0 and deviation 1, cut at `CLIP`; 0 where nothing is there."""
    largest = jnp.maximum(jnp.max(jnp.where(is_there, jnp.abs(values), 0.0)), 1e-30)
    small = jnp.where(is_there, values, 0.0) / largest  # squares of small numbers do not overflow
    count = jnp.maximum(jnp.sum(is_there), 1)
    centre = jnp.sum(small) / count
    spread = jnp.sqrt(jnp.sum(jnp.where(is_there, (small - centre) ** 2, 0.0)) / count)
    spread = jnp.where(spread > 1e-6, spread, 1.0)  # all alike, or only one
    standard = jnp.clip((small - centre) / spread, -CLIP, CLIP)
    return jnp.where(is_there, standard, 0.0), Scale(centre * largest, spread * largest)


def to_unit(values: Array, is_there: Array) -> Array:
    """Values scaled by their own range to [0, 1]; 0.5 where all are alike or nothing is there."""
    largest = jnp.maximum(jnp.max(jnp.where(is_there, jnp.abs(values), 0.0)), 1e-30)
    small = jnp.where(is_there, values, 0.0) / largest
    low = jnp.min(jnp.where(is_there, small, jnp.inf))
    high = jnp.max(jnp.where(is_there, small, -jnp.inf))
    has_range = high - low > 1e-6
    return jnp.where(is_there & has_range, (small - low) / jnp.where(has_range, high - low, 1.0), 0.5)
