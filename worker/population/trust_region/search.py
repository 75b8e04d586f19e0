"""The best place of a trust region, for numbers and categories at once: a fixed amount of work in one program."""

from functools import partial
from typing import Protocol

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key
from phylon.worker.population.pb2.acquisition import CANDIDATES, CLIMBERS, step_lengths, step_up
from phylon.worker.population.trust_region.region import Box


class ScoreFn(Protocol):
    """Of points [n, d] in the unit box with categories [n, m]: float32 [n]."""

    def __call__(self, points: Array, categories: Array) -> Array: ...


def maximise(key: Key, score: ScoreFn, box: Box, arms: tuple[int, ...]) -> tuple[Array, Array]:
    """Nearly the best numbers [d] and categories [m] of the box. `arms`: how many categories there are of each kind.

    Random candidates; the best of them climb along the gradient of their numbers, and after each step each tries one
    other category.
    """
    number_key, category_key, climb_key = jax.random.split(key, 3)
    low, width = box.low[None, :], (box.high - box.low)[None, :]

    def score_inside(points: Array, categories: Array) -> Array:
        return score(low + points * width, categories)

    points = jax.random.uniform(number_key, (CANDIDATES, len(box.low)), jnp.float32)
    categories = draw_categories(category_key, box, arms, CANDIDATES)
    values, best = jax.lax.top_k(score_inside(points, categories), CLIMBERS)

    def climb(carry: tuple[Array, Array, Array], turn: tuple[Key, Array]) -> tuple[tuple[Array, Array, Array], None]:
        points, categories, values = carry
        key, length = turn
        points, values = step_up(partial(score_inside, categories=categories), points, values, length)
        if arms:
            others = _with_one_changed(key, categories, arms)
            is_near = jnp.sum(others != box.categories[None, :], axis=-1) <= box.most_changes
            other_values = score_inside(points, others)
            is_better = is_near & (other_values > values)
            categories = jnp.where(is_better[:, None], others, categories)
            values = jnp.where(is_better, other_values, values)
        return (points, categories, values), None

    lengths = step_lengths()
    turns = jax.random.split(climb_key, len(lengths)), lengths
    (points, categories, values), _ = jax.lax.scan(climb, (points[best], categories[best], values), turns)
    first = jnp.argmax(values)
    return low[0] + points[first] * width[0], categories[first]


def draw_categories(key: Key, box: Box, arms: tuple[int, ...], count: int) -> Array:
    """int32 [count, m]: of each row at most `most_changes` differ from the centre, any number being as likely."""
    if not arms:
        return jnp.zeros((count, 0), jnp.int32)
    count_key, order_key, other_key = jax.random.split(key, 3)
    changes = jax.random.randint(count_key, (count, 1), 0, box.most_changes + 1)
    places = jnp.argsort(jnp.argsort(jax.random.uniform(order_key, (count, len(arms))), axis=-1), axis=-1)
    centre = jnp.broadcast_to(box.categories[None, :], (count, len(arms)))
    return jnp.where(places < changes, _others(other_key, centre, arms), centre)


def _with_one_changed(key: Key, categories: Array, arms: tuple[int, ...]) -> Array:
    place_key, other_key = jax.random.split(key)
    place = jax.random.randint(place_key, (len(categories), 1), 0, len(arms))
    return jnp.where(jnp.arange(len(arms))[None, :] == place, _others(other_key, categories, arms), categories)


def _others(key: Key, categories: Array, arms: tuple[int, ...]) -> Array:
    """For each category [n, m] another one of its kind, each as likely."""
    kinds = jnp.asarray(arms, jnp.int32)[None, :]
    distance = 1 + jnp.floor(jax.random.uniform(key, categories.shape) * (kinds - 1)).astype(jnp.int32)
    return (categories + distance) % kinds
