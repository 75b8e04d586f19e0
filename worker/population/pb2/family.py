"""The evolution that all methods of the PB2 family share; they differ in how categories and numbers are chosen.

    remember what each member gained in the interval that ends         (observations)
    let the bandits learn from it                                      (categories)
    each of the worst copies one of the best                           (PBT's truncation)
    each copy is given categories, all copies at once                  (categories)
    each copy is given numbers, one after the other                    (proposal)

Before anything is known, numbers are drawn from their priors.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from phylon.contract.events import Operator
from phylon.spec import ExperimentSpec
from phylon.spec.methods.pb2 import PB2FamilySpec
from phylon.spec.selection import donors, replaced_members
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.hyperparams import prior
from phylon.worker.population.method import Birth, Evolution, MethodState, PopulationMethod, PopulationScores
from phylon.worker.population.pb2.categories import (
    FIXED,
    INHERIT,
    MODEL,
    RESAMPLE,
    WORDS,
    Bandits,
    CategoryRule,
    Copies,
)
from phylon.worker.population.pb2.fitting import usual_parameters
from phylon.worker.population.pb2.kernels import Parameters, time_varying_mixed
from phylon.worker.population.pb2.observations import Observations, capacity_of, nothing, record
from phylon.worker.population.pb2.proposal import Model, Pending, Proposal, propose
from phylon.worker.population.pb2.space import decode_number, encode_categories, encode_numbers, listed, space_of
from phylon.worker.population.selection import best_first, truncation


class State(NamedTuple):
    round: Array
    """int32: evolutions so far."""
    start: Array
    """float32 [P]: fitness of the weights that each slot's interval began with; NaN before the first evolution."""
    observations: Observations
    bandits: Bandits
    parameters: Parameters
    """Of the latest fit."""


def build(spec: ExperimentSpec, model: Model, rule: CategoryRule) -> PopulationMethod:
    size, method = spec.population.size, spec.population.method
    assert isinstance(method, PB2FamilySpec)
    replaced, best = replaced_members(size, method.selection), donors(size, method.selection)
    space = space_of(spec.algorithm)

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams
        return State(
            round=jnp.zeros((), jnp.int32),
            start=jnp.full(size, jnp.nan, jnp.float32),
            observations=nothing(capacity_of(spec, method), len(space.numbers), len(space.categories)),
            bandits=rule.fresh(),
            parameters=usual_parameters(),
        )

    def evolve(
        key: Key, method_state: State, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        fitness = scores.fitness
        numbers, categories = encode_numbers(space, hyperparams), encode_categories(space, hyperparams)
        round = method_state.round + 1
        # An interval with a reset teaches nothing: its fitness fell, whatever the hyper-parameters were worth.
        start = jnp.where(scores.was_reset, jnp.nan, method_state.start)
        seen = record(method_state.observations, round, start, numbers, categories, fitness)
        bandits = rule.learn(method_state.bandits, seen, round)

        parents = truncation(derive(key, "select"), fitness, replaced, best)
        slots = best_first(fitness)[-replaced:]
        copies = Copies(slots, categories[parents[slots]], categories)
        chosen, bandits = rule.choose(derive(key, "categories"), bandits, seen, copies)
        categories = categories.at[slots].set(chosen.categories)

        inherited = {name: values[parents] for name, values in hyperparams.items()}
        evolved = {
            **inherited,
            **{name: listed(choice)[categories[:, i]] for i, (name, choice) in enumerate(space.categories.items())},
        }
        changes = {
            name: jnp.zeros(size, jnp.int32).at[slots].set(chosen.codes[:, i])
            for i, name in enumerate(space.categories)
        }
        reasons, parameters = chosen.reasons, method_state.parameters
        if space.numbers:
            pending = Pending(
                fitness[parents], numbers[parents], categories, jnp.ones(size, jnp.bool_).at[slots].set(False)
            )
            proposal, parameters = propose(
                derive(key, "numbers"), model, method.optimism, seen, pending, slots, parameters
            )
            values, codes = numbers_of(derive(key, "priors"), proposal, inherited, jnp.any(seen.is_there), slots)
            evolved |= {name: inherited[name].at[slots].set(value) for name, value in values.items()}
            changes |= {name: jnp.zeros(size, jnp.int32).at[slots].set(code) for name, code in codes.items()}
            reasons = {**reasons_of(proposal, model.kernel is time_varying_mixed), **reasons}
        # In the order of the spec, and members that live on keep the very bits of their values.
        is_child = parents != jnp.arange(size, dtype=jnp.int32)
        evolved = {name: jnp.where(is_child, evolved[name], values) for name, values in hyperparams.items()}
        state = State(round, fitness[parents], seen, bandits, parameters)
        return Evolution(
            state,
            parents,
            evolved,
            {name: changes[name] for name in hyperparams if name in changes},
            {name: jnp.full(size, jnp.nan, jnp.float32).at[slots].set(value) for name, value in reasons.items()},
            {
                name: jnp.where(changes[name] == FIXED, hyperparams[name], value) if name in changes else value
                for name, value in inherited.items()
            },
        )

    def numbers_of(
        key: Key, proposal: Proposal, inherited: Hyperparams, is_anything_known: Array, slots: Array
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """Values [k] and codes [k] of each number: the model's, else the parent's, and drawn if nothing is known."""
        without = jnp.where(is_anything_known, INHERIT, RESAMPLE)
        values, codes = {}, {}
        for index, (name, distribution) in enumerate(space.numbers.items()):
            drawn = jax.vmap(prior(distribution).sample)(member_keys(derive(key, name), size))[slots]
            fallback = jnp.where(is_anything_known, inherited[name][slots], drawn)
            modelled = decode_number(distribution, proposal.numbers[:, index])
            values[name] = jnp.where(proposal.is_modelled, modelled, fallback)
            codes[name] = jnp.where(proposal.is_modelled, MODEL, without).astype(jnp.int32)
        return values, codes

    return PopulationMethod(init, evolve, describe)


def describe(evolution: Evolution[Any]) -> list[Birth | None]:
    codes = {name: np.asarray(code) for name, code in evolution.changes.items()}
    births: list[Birth | None] = []
    for slot, parent in enumerate(np.asarray(evolution.parents).tolist()):
        changes = {name: WORDS[code[slot]] for name, code in codes.items()}
        births.append(None if parent == slot else Birth(operator_of(changes), changes))
    return births


def operator_of(changes: dict[str, str]) -> Operator:
    """The one word for a birth: `suggest` as soon as a model or a bandit had a say."""
    words = set(changes.values())
    if words & {"model", "bandit"}:
        return "suggest"
    return "resample" if "resample" in words else "copy"


def reasons_of(proposal: Proposal, has_mix: bool) -> dict[str, Array]:
    """Why these numbers, float32 [k] each; NaN where no model chose them."""
    values = {
        "predicted_mean": proposal.mean,
        "predicted_deviation": proposal.deviation,
        "acquisition": proposal.acquisition,
        "length_scale": proposal.parameters.length_scale,
        "time_decay": proposal.parameters.time_decay,
    }
    if has_mix:
        values |= {
            "mix": proposal.parameters.mix,
            "category_time_decay": proposal.parameters.category_time_decay,
        }
    return {name: jnp.where(proposal.is_modelled, value, jnp.nan) for name, value in values.items()}
