"""Who goes on with whose weights: each rule turns the members' scores into a parent for every slot."""

from importlib.metadata import entry_points
from typing import Protocol

import jax
import jax.numpy as jnp

from phylon.spec.selection import (
    BinaryTournament,
    CustomSelection,
    NoSelection,
    SelectionSpec,
    TruncationSelection,
    TTestSelection,
    WinnerTakesAll,
    donors,
    replaced_members,
)
from phylon.worker.core.types import Array, Key
from phylon.worker.population.custom import load_entry_point
from phylon.worker.population.method import PopulationScores


class SelectFn(Protocol):
    """Parents int32 [P]; a slot that is its own parent lives on. Pure and jittable."""

    def __call__(self, key: Key, scores: PopulationScores[Array]) -> Array: ...


def build_selection(spec: SelectionSpec, size: int) -> SelectFn:
    match spec:
        case TruncationSelection():
            replaced, best = replaced_members(size, spec), donors(size, spec)
            return lambda key, scores: truncation(key, scores.fitness, replaced, best)
        case WinnerTakesAll():
            return lambda key, scores: winner_takes_all(scores.fitness)
        case TTestSelection(significance=significance):
            return lambda key, scores: t_test(key, scores, significance)
        case BinaryTournament():
            return lambda key, scores: binary_tournament(key, scores.fitness)
        case NoSelection():
            return lambda key, scores: jnp.arange(size, dtype=jnp.int32)
        case CustomSelection(entry_point=name):
            own = load_entry_point("phylon.selections", name, entry_points)
            return lambda key, scores: valid_parents(own(key, scores), size)


def best_first(fitness: Array) -> Array:
    """Slots from the best to the worst, int32 [P]. NaN is worse than minus infinity; of equals the lower slot wins."""
    is_missing = jnp.isnan(fitness)
    slots = jnp.arange(len(fitness), dtype=jnp.int32)
    return jnp.lexsort((slots, -jnp.where(is_missing, 0, fitness), is_missing)).astype(jnp.int32)


def ranks(fitness: Array) -> Array:
    """The rank of each slot, 0 the best, int32 [P]; the very order by which all rules select."""
    return jnp.argsort(best_first(fitness)).astype(jnp.int32)


def truncation(key: Key, fitness: Array, replaced: int, donors: int) -> Array:
    """Each of the `replaced` worst is given a parent drawn uniformly from the `donors` best."""
    order = best_first(fitness)
    chosen = jax.random.choice(key, order[:donors], (replaced,))
    return jnp.arange(len(fitness), dtype=jnp.int32).at[order[-replaced:]].set(chosen)


def winner_takes_all(fitness: Array) -> Array:
    return jnp.full(len(fitness), best_first(fitness)[0], jnp.int32)


def binary_tournament(key: Key, fitness: Array) -> Array:
    slots, rivals = _rivals(key, len(fitness))
    rank = ranks(fitness)
    is_better = (rank[rivals] < rank) & ~(fitness[rivals] == fitness)  # a rival that is only as good is no reason
    return jnp.where(is_better, rivals, slots)


def t_test(key: Key, scores: PopulationScores[Array], significance: float) -> Array:
    slots, rivals = _rivals(key, len(scores.fitness))
    is_better = scores.fitness[rivals] > scores.fitness
    # One who has no fitness at all is replaced by anyone who has: there is nothing to test.
    is_lost = jnp.isnan(scores.fitness) & ~jnp.isnan(scores.fitness[rivals])
    is_clear = welch(scores.returns[rivals], scores.returns) < significance
    return jnp.where((is_better & is_clear) | is_lost, rivals, slots)


def welch(first: Array, second: Array) -> Array:
    """Two-sided p-values of Welch's t-test between the rows of [P, n] and [P, m]; 1 where nothing can be said."""
    counts = first.shape[1], second.shape[1]
    if min(counts) < 2:
        return jnp.ones(len(first))
    errors = jnp.var(first, axis=1, ddof=1) / counts[0], jnp.var(second, axis=1, ddof=1) / counts[1]
    total, gap = errors[0] + errors[1], jnp.mean(first, axis=1) - jnp.mean(second, axis=1)
    safe = jnp.where(total > 0, total, 1)
    t_squared = gap**2 / safe
    spread = errors[0] ** 2 / (counts[0] - 1) + errors[1] ** 2 / (counts[1] - 1)
    freedom = safe**2 / jnp.where(total > 0, spread, 1)
    probability = jax.scipy.special.betainc(freedom / 2, 0.5, freedom / (freedom + t_squared))
    certain = jnp.where(gap == 0, 1.0, 0.0)  # without any spread, a difference is a difference
    known = ~jnp.isnan(total)
    return jnp.where(known, jnp.where(total > 0, probability, certain), 1.0)


def valid_parents(parents: Array, size: int) -> Array:
    """What a function of the user's own says, held to slots that exist."""
    return jnp.clip(jnp.asarray(parents).reshape(size), 0, size - 1).astype(jnp.int32)


def _rivals(key: Key, size: int) -> tuple[Array, Array]:
    """All slots, and for each another one drawn uniformly."""
    slots = jnp.arange(size, dtype=jnp.int32)
    if size == 1:
        return slots, slots
    distance = jax.random.randint(key, (size,), 1, size, jnp.int32)
    return slots, (slots + distance) % size
