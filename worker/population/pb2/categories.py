"""Who decides on the categories of a copy. A rule decides for all copies of an evolution at once.

drawn         with a probability the parent's category, else any, all alike
by_bandit     TV.EXP3.M, which learns from the gains of every interval
fixed         what its slot drew at the beginning, whomever it copies
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec import ExperimentSpec
from phylon.spec.methods.pb2 import BanditSpec, PB2FamilySpec
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Key
from phylon.worker.population.pb2 import bandit
from phylon.worker.population.pb2.bandit import Bandit, Rates
from phylon.worker.population.pb2.observations import Observations, rounds_of, standardise, to_unit
from phylon.worker.population.pb2.space import space_of

# Codes of what was done to a hyper-parameter.
KEEP, INHERIT, RESAMPLE, MODEL, BANDIT, FIXED = range(6)
WORDS = ("", "inherit", "resample", "model", "bandit", "fixed")

Bandits = dict[str, Bandit]
"""By hyper-parameter; empty where no bandit has a say."""


class Copies(NamedTuple):
    """Of the k members that are replaced."""

    slots: Array
    """int32 [k]."""
    inherited: Array
    """int32 [k, m]: the categories of those whom they copy."""
    own: Array
    """int32 [P, m]: the categories that each slot had so far."""


class Chosen(NamedTuple):
    """Categories of the replaced members, and how they came about."""

    categories: Array
    """int32 [k, m]."""
    codes: Array
    """int32 [k, m]."""
    reasons: dict[str, Array]
    """float32 [k] each."""


class CategoryRule(NamedTuple):
    fresh: Callable[[], Bandits]
    learn: Callable[[Bandits, Observations, Array], Bandits]
    """(bandits, observations, round) -> the bandits after the gains of this round."""
    choose: Callable[[Key, Bandits, Observations, Copies], tuple[Chosen, Bandits]]


def drawn(spec: ExperimentSpec, keep: float) -> CategoryRule:
    """As PBT does it. Before anything is known nothing is worth keeping: all are drawn, as numbers are."""
    counts = [len(choice.choice) for choice in space_of(spec.algorithm).categories.values()]
    names = list(space_of(spec.algorithm).categories)

    def choose(key: Key, bandits: Bandits, seen: Observations, copies: Copies) -> tuple[Chosen, Bandits]:
        shape = copies.slots.shape
        coins = [jax.random.uniform(derive(key, "keep", name), shape) for name in names]
        draws = [
            jax.random.randint(derive(key, name), shape, 0, count, jnp.int32)
            for name, count in zip(names, counts, strict=True)
        ]
        is_kept = (_columns(coins, shape) < keep) & jnp.any(seen.is_there)
        categories = jnp.where(is_kept, copies.inherited, _columns(draws, shape).astype(jnp.int32))
        return Chosen(categories, jnp.where(is_kept, INHERIT, RESAMPLE), {}), bandits

    return CategoryRule(dict, _learn_nothing, choose)


def by_bandit(spec: ExperimentSpec, settings: BanditSpec) -> CategoryRule:
    size, method = spec.population.size, spec.population.method
    assert isinstance(method, PB2FamilySpec)
    rounds = rounds_of(spec, method)
    arms = {name: len(choice.choice) for name, choice in space_of(spec.algorithm).categories.items()}
    rates = {name: bandit.rates(settings, count, size, rounds) for name, count in arms.items()}

    def fresh() -> Bandits:
        return {name: bandit.fresh(count, size) for name, count in arms.items()}

    def learn(bandits: Bandits, seen: Observations, round: Array) -> Bandits:
        """From the gains of this round, scaled by all that are remembered."""
        standard, _ = standardise(seen.gain, seen.is_there)
        gains, is_new = to_unit(standard, seen.is_there), seen.is_there & (seen.round == round)
        return {
            name: _learn(state, rates[name], size, gains, is_new, seen.categories[:, index])
            for index, (name, state) in enumerate(bandits.items())
        }

    def choose(key: Key, bandits: Bandits, seen: Observations, copies: Copies) -> tuple[Chosen, Bandits]:
        del seen
        count = len(copies.slots)
        columns, after, reasons = [], {}, {}
        is_survivor = jnp.ones(size, jnp.bool_).at[copies.slots].set(False)
        for index, (name, state) in enumerate(bandits.items()):
            is_held = jnp.zeros(arms[name], jnp.bool_).at[copies.own[:, index]].max(is_survivor)
            column, expected, after[name] = bandit.draw(derive(key, name), state, rates[name], count, is_held)
            columns.append(column)
            reasons[f"bandit_weight/{name}"] = state.weights[column]
            reasons[f"bandit_probability/{name}"] = expected[column] / count
        categories = _columns(columns, (count,))
        return Chosen(categories, jnp.full_like(categories, BANDIT), reasons), after

    return CategoryRule(fresh, learn, choose)


def fixed() -> CategoryRule:
    def choose(key: Key, bandits: Bandits, seen: Observations, copies: Copies) -> tuple[Chosen, Bandits]:
        del key, seen
        categories = copies.own[copies.slots]
        return Chosen(categories, jnp.full_like(categories, FIXED), {}), bandits

    return CategoryRule(dict, _learn_nothing, choose)


def _learn_nothing(bandits: Bandits, seen: Observations, round: Array) -> Bandits:
    del seen, round
    return bandits


def _learn(state: Bandit, rates: Rates, plays: int, gains: Array, is_new: Array, categories: Array) -> Bandit:
    arms = len(state.weights)
    counts = jnp.zeros(arms).at[categories].add(is_new.astype(jnp.float32))
    sums = jnp.zeros(arms).at[categories].add(jnp.where(is_new, gains, 0.0))
    return bandit.learn(state, rates, plays, sums / jnp.maximum(counts, 1.0), counts > 0)


def _columns(columns: list[Array], shape: tuple[int, ...]) -> Array:
    return jnp.stack(columns, axis=-1) if columns else jnp.zeros((*shape, 0), jnp.int32)
