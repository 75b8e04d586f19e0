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
from phylon.worker.core.keys import derive
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
            return revive_missing(lambda key, scores: truncation(key, scores.fitness, replaced, best), best)
        case WinnerTakesAll():
            return lambda key, scores: winner_takes_all(scores.fitness)
        case TTestSelection(significance=significance):
            return revive_missing(lambda key, scores: t_test(key, scores, significance), size)
        case BinaryTournament():
            return revive_missing(lambda key, scores: binary_tournament(key, scores.fitness), size)
        case NoSelection():
            return lambda key, scores: jnp.arange(size, dtype=jnp.int32)
        case CustomSelection(entry_point=name):
            own = load_entry_point("phylon.selections", name, entry_points)
            return revive_missing(lambda key, scores: valid_parents(own(key, scores), size), size)


def revive_missing(select: SelectFn, donors: int) -> SelectFn:
    """Slots without fitness (diverged ones) are replaced, however many, and are never donors.

    Their parents are drawn uniformly from the `donors` best that have a fitness.
    """

    def run(key: Key, scores: PopulationScores[Array]) -> Array:
        return avoid_missing(derive(key, "revive"), scores.fitness, select(key, scores), donors)

    return run


def avoid_missing(key: Key, fitness: Array, parents: Array, donors: int) -> Array:
    """The parents, where one without fitness has been exchanged; if nobody has any, all stay as they are."""
    is_missing = jnp.isnan(fitness)
    known = jnp.sum(~is_missing)
    places = jax.random.randint(key, (len(fitness),), 0, jnp.clip(known, 1, donors), jnp.int32)
    return jnp.where(is_missing[parents] & (known > 0), best_first(fitness)[places], parents)


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
    slots = jnp.arange(len(fitness), dtype=jnp.int32)
    parents = slots.at[order[-replaced:]].set(chosen)
    # Where hardly anyone has a fitness, some of the best have none.
    return jnp.where(parents == slots, slots, avoid_missing(derive(key, "donors"), fitness, parents, donors))


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
