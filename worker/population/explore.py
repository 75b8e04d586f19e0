"""How hyper-parameters move: for each tuned one a `Move`, which never leaves the support of its distribution."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp

from phylon.spec import Distribution, tuned
from phylon.spec.algorithms import AlgorithmSpec, names_of
from phylon.spec.explore import (
    CustomExplore,
    ExploreSpec,
    GaussianExplore,
    KeepExplore,
    MovingExplore,
    PerturbExplore,
    ResampleExplore,
    TriangularExplore,
)
from phylon.spec.registered import describe_algorithm
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.custom import load_entry_point
from phylon.worker.population.hyperparams import Prior, prior

KEPT = 0
"""The code of a value that did not move; the codes of a move's own words follow."""


class MoveFn(Protocol):
    """One member's new value, and the place of the word for what was done to it in the move's words."""

    def __call__(self, key: Key, value: Array) -> tuple[Array, Array]: ...


class Move(NamedTuple):
    apply: MoveFn
    words: tuple[str, ...]
    """`words[0]` is for a value that stayed."""


def build_moves(
    algorithm: AlgorithmSpec, explore: ExploreSpec, operators: Mapping[str, ExploreSpec]
) -> dict[str, Move]:
    """A move for each tuned hyper-parameter, in declaration order, on the scale that its algorithm declares."""
    scale_of = describe_algorithm(algorithm).scale_of
    return {
        name: build_move(
            operators.get(name, explore),
            prior(distribution, has_order=names_of(type(algorithm), name) is None, scale=scale_of(name)),
            distribution,
            name,
        )
        for name, distribution in tuned(algorithm).items()
    }


def build_move(explore: ExploreSpec, prior: Prior, distribution: Distribution, name: str) -> Move:
    if isinstance(explore, MovingExplore) and not prior.has_order:
        return _inherit_or_draw(prior, explore.keep_category)
    match explore:
        case PerturbExplore(factors=factors, resample=resample):
            return _perturb(prior, factors, resample)
        case ResampleExplore():
            return Move(lambda key, value: (prior.sample(key), jnp.int32(1)), ("inherit", "resample"))
        case TriangularExplore(factors=(low, mode, high)):
            return _triangular(prior, low, mode, high)
        case GaussianExplore(deviation=deviation):
            return _gaussian(prior, deviation)
        case KeepExplore():
            return Move(lambda key, value: (value, jnp.int32(KEPT)), ("inherit",))
        case CustomExplore(entry_point=entry):
            own = load_entry_point("phylon.explores", entry, entry_points)

            def custom(key: Key, value: Array) -> tuple[Array, Array]:
                moved = prior.clip(jnp.asarray(own(key, name, value, distribution), jnp.float32).reshape(()))
                return moved, jnp.int32(moved != value)

            return Move(custom, ("inherit", "custom"))


def explore_members(
    key: Key, who: Array, hyperparams: Hyperparams, moves: Mapping[str, Move]
) -> tuple[Hyperparams, dict[str, Array]]:
    """Move each tuned value of the members `who` (bool [P]) by a draw of its own.

    Gives the new values and the codes of what was done, [P] each; -1 for members that were left alone.
    """
    explored, changes = dict(hyperparams), dict[str, Array]()
    for name, move in moves.items():
        values = hyperparams[name]
        moved, codes = jax.vmap(move.apply)(member_keys(derive(key, name), len(who)), values)
        explored[name] = jnp.where(who, moved, values)
        changes[name] = jnp.where(who, codes, -1).astype(jnp.int32)
    return explored, changes


def _inherit_or_draw(prior: Prior, keep: float) -> Move:
    def apply(key: Key, value: Array) -> tuple[Array, Array]:
        coin_key, draw_key = jax.random.split(key)
        is_kept = jax.random.uniform(coin_key) < keep
        return jnp.where(is_kept, value, prior.sample(draw_key)), jnp.where(is_kept, KEPT, 1)

    return Move(apply, ("inherit", "resample"))


def _perturb(prior: Prior, factors: tuple[float, float], resample: float) -> Move:
    table = jnp.asarray(factors, jnp.float32)

    def apply(key: Key, value: Array) -> tuple[Array, Array]:
        coin_key, factor_key, move_key = jax.random.split(key, 3)
        chosen = jax.random.randint(factor_key, (), 0, len(factors), jnp.int32)
        perturbed = prior.perturb(value, table[chosen])
        is_drawn = jax.random.uniform(coin_key) < resample
        code = jnp.where(perturbed == value, KEPT, 2 + chosen)
        return jnp.where(is_drawn, prior.sample(_first(move_key)), perturbed), jnp.where(is_drawn, 1, code)

    return Move(apply, ("inherit", "resample", *(prior.word(factor) for factor in factors)))


def _triangular(prior: Prior, low: float, mode: float, high: float) -> Move:
    def apply(key: Key, value: Array) -> tuple[Array, Array]:
        moved = prior.perturb(value, _triangle(jax.random.uniform(_first(key)), low, mode, high))
        return moved, jnp.where(moved == value, KEPT, 1)

    return Move(apply, ("inherit", "triangular"))


def _triangle(uniform: Array, low: float, mode: float, high: float) -> Array:
    """A draw of the triangular distribution, by its inverse distribution function."""
    span, left, right = high - low, mode - low, high - mode
    rising = low + jnp.sqrt(uniform * span * left)
    falling = high - jnp.sqrt((1 - uniform) * span * right)
    return jnp.where(uniform < left / span, rising, falling)


def _gaussian(prior: Prior, deviation: float) -> Move:
    def apply(key: Key, value: Array) -> tuple[Array, Array]:
        moved = prior.shift(value, deviation * jax.random.normal(_first(key)), deviation)
        return moved, jnp.where(moved == value, KEPT, 1)

    return Move(apply, ("inherit", "gaussian"))


def _first(key: Key) -> Key:
    """Of the two keys that a move once needed; the draws of stored runs come from it."""
    return jax.random.split(key)[0]
