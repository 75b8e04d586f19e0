"""The trust region: how far from a good member's hyper-parameters the next ones may lie.

It grows while what the model suggests leads the population, and shrinks while it does not. Where it cannot shrink any
further, or where nobody has become better than ever for a while, all that the model has learned is dropped.
"""

from typing import NamedTuple

import jax.numpy as jnp

from phylon.spec.methods.bg_pbt import TrustRegionSpec
from phylon.worker.core.types import Array

FIRST_CATEGORIES, FEWEST_CATEGORIES, MOST_CATEGORIES = 1.0, 0.1, 1.0
"""Shares of the categories that may differ, as the authors have them."""


class Region(NamedTuple):
    """Scalars."""

    side: Array
    """Of the box of numbers, in the unit box."""
    category_side: Array
    """Share of the categories that may differ."""
    successes: Array
    """In a row."""
    failures: Array
    """In a row."""
    rounds_without_best: Array
    best: Array
    """The highest fitness ever."""


class Box(NamedTuple):
    """Where one member's hyper-parameters may lie."""

    low: Array
    """float32 [d]."""
    high: Array
    categories: Array
    """int32 [m]: those of the centre."""
    most_changes: Array
    """int32: how many of them may differ."""


def fresh(spec: TrustRegionSpec) -> Region:
    return Region(
        side=jnp.float32(spec.initial),
        category_side=jnp.float32(FIRST_CATEGORIES),
        successes=jnp.int32(0),
        failures=jnp.int32(0),
        rounds_without_best=jnp.int32(0),
        best=jnp.float32(-jnp.inf),
    )


def adapt(spec: TrustRegionSpec, region: Region, fitness: Array, is_suggested: Array) -> tuple[Region, Array]:
    """The region after a round, and whether to start again (bool).

    `is_suggested`, bool [P]: whose hyper-parameters were chosen by the model for the very interval that ends. One who
    lives on with older ones is no success of the model, however good it is.
    """
    scores = jnp.where(jnp.isnan(fitness), -jnp.inf, fitness)
    is_any = jnp.any(is_suggested)
    is_success = is_any & (jnp.max(jnp.where(is_suggested, scores, -jnp.inf)) >= jnp.max(scores))
    successes = jnp.where(is_any, jnp.where(is_success, region.successes + 1, 0), region.successes)
    failures = jnp.where(is_any, jnp.where(is_success, 0, region.failures + 1), region.failures)
    is_larger, is_smaller = successes >= spec.successes, failures >= spec.failures
    factor = jnp.where(is_larger, spec.factor, jnp.where(is_smaller, 1 / spec.factor, 1.0))
    is_best = jnp.max(scores) > region.best
    adapted = Region(
        side=jnp.clip(region.side * factor, spec.smallest, spec.largest),
        category_side=jnp.clip(region.category_side * factor, FEWEST_CATEGORIES, MOST_CATEGORIES),
        successes=jnp.where(is_larger, 0, successes),
        failures=jnp.where(is_smaller, 0, failures),
        rounds_without_best=jnp.where(is_best, 0, region.rounds_without_best + 1),
        best=jnp.maximum(region.best, jnp.max(scores)),
    )
    is_again = (adapted.side <= spec.smallest) | (adapted.rounds_without_best >= spec.patience)
    restarted = fresh(spec)._replace(best=adapted.best)
    return Region(*(jnp.where(is_again, new, old) for new, old in zip(restarted, adapted, strict=True))), is_again


def box_around(region: Region, numbers: Array, categories: Array, length_scales: Array) -> Box:
    """`length_scales`, float32 [d]: along a number of little effect the box is longer, its volume being the same."""
    weights = length_scales / jnp.exp(jnp.mean(jnp.log(length_scales))) if len(length_scales) else length_scales
    reach = 0.5 * region.side * weights
    return Box(
        low=jnp.clip(numbers - reach, 0.0, 1.0),
        high=jnp.clip(numbers + reach, 0.0, 1.0),
        categories=categories,
        most_changes=jnp.ceil(region.category_side * len(categories) - 1e-6).astype(jnp.int32),
    )
