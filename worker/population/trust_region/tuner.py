"""What a method with a trust region does at each evolution: learn from the interval that ends, then explore."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp

from phylon.spec import ExperimentSpec
from phylon.spec.methods.bg_pbt import TrustRegionSpec
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.hyperparams import prior
from phylon.worker.population.pb2.categories import MODEL, RESAMPLE
from phylon.worker.population.pb2.observations import Observations, nothing, record
from phylon.worker.population.pb2.proposal import Pending
from phylon.worker.population.pb2.space import decode_number, encode_categories, encode_numbers, listed, space_of
from phylon.worker.population.trust_region import region as regions
from phylon.worker.population.trust_region.kernel import Parameters, usual_parameters
from phylon.worker.population.trust_region.proposal import Suggestion, suggest
from phylon.worker.population.trust_region.region import Region


class Memory(NamedTuple):
    """What is remembered between two evolutions."""

    round: Array
    """int32: evolutions so far."""
    start: Array
    """float32 [P]: fitness of the weights that each slot's interval began with; NaN if unknown."""
    is_suggested: Array
    """bool [P]: its hyper-parameters were chosen by the model for this very interval."""
    region: Region
    observations: Observations
    parameters: Parameters
    """Of the latest fit."""


class Explored(NamedTuple):
    hyperparams: Hyperparams
    changes: dict[str, Array]
    reasons: dict[str, Array]
    memory: Memory


class LearnFn(Protocol):
    """The memory after an interval, whose outcome is `fitness` [P]."""

    def __call__(self, memory: Memory, hyperparams: Hyperparams, fitness: Array) -> Memory: ...


class ExploreFn(Protocol):
    """New hyper-parameters for `slots` [k], which go on with the weights of their `parents` [P]; others keep theirs."""

    def __call__(
        self, key: Key, memory: Memory, hyperparams: Hyperparams, fitness: Array, parents: Array, slots: Array
    ) -> Explored: ...


class Tuner(NamedTuple):
    begin: Memory
    learn: LearnFn
    explore: ExploreFn
    encode: Callable[[Hyperparams], tuple[Array, Array]]
    """Numbers float32 [P, d] in the unit box, and categories int32 [P, m]."""
    decode: Callable[[Suggestion], Hyperparams]
    """The values of all that is tuned, [k] each, of k suggestions."""
    draw: Callable[[Key], Hyperparams]
    """Of all that is tuned, [P] each, from the priors."""
    arms: tuple[int, ...]
    """How many categories there are of each kind."""
    reasons: tuple[str, ...]
    """What is given as reasons of a suggestion."""


def build_tuner(spec: ExperimentSpec, window: int, optimism: float, trust_region: TrustRegionSpec) -> Tuner:
    size, space = spec.population.size, space_of(spec.algorithm)
    arms = tuple(len(choice.choice) for choice in space.categories.values())
    unknown = nothing(window, len(space.numbers), len(arms))
    begin = Memory(
        round=jnp.int32(0),
        start=jnp.full(size, jnp.nan, jnp.float32),
        is_suggested=jnp.zeros(size, jnp.bool_),
        region=regions.fresh(trust_region),
        observations=unknown,
        parameters=usual_parameters(1 + len(space.numbers)),
    )

    def learn(memory: Memory, hyperparams: Hyperparams, fitness: Array) -> Memory:
        round = memory.round + 1
        seen = record(memory.observations, round, memory.start, *encode(hyperparams), fitness)
        region, is_again = regions.adapt(trust_region, memory.region, fitness, memory.is_suggested)
        seen, parameters = jax.tree.map(
            lambda new, old: jnp.where(is_again, new, old),
            (unknown, begin.parameters),
            (seen, memory.parameters),
        )
        return memory._replace(round=round, region=region, observations=seen, parameters=parameters)

    def explore(
        key: Key, memory: Memory, hyperparams: Hyperparams, fitness: Array, parents: Array, slots: Array
    ) -> Explored:
        numbers, categories = encode(hyperparams)
        is_waiting = jnp.zeros(size, jnp.bool_).at[slots].set(True)
        pending = Pending(fitness[parents], numbers[parents], categories[parents], ~is_waiting)
        suggestion, parameters = suggest(
            derive(key, "suggest"),
            optimism,
            arms,
            memory.observations,
            pending,
            slots,
            memory.region,
            memory.parameters,
        )
        is_modelled = jnp.sum(memory.observations.is_there) >= size  # the authors draw at random until then
        drawn = draw(derive(key, "priors"))
        values = {name: jnp.where(is_modelled, value, drawn[name][slots]) for name, value in decode(suggestion).items()}
        code = jnp.where(is_modelled, MODEL, RESAMPLE).astype(jnp.int32)
        after = memory._replace(
            start=fitness[parents],
            is_suggested=is_waiting & is_modelled,
            parameters=jax.tree.map(lambda new, old: jnp.where(is_modelled, new, old), parameters, memory.parameters),
        )
        return Explored(
            {
                name: old.at[slots].set(values[name]) if name in values else jnp.where(is_waiting, old[parents], old)
                for name, old in hyperparams.items()
            },
            {name: jnp.zeros(size, jnp.int32).at[slots].set(code) for name in hyperparams if name in values},
            {
                name: jnp.full(size, jnp.nan, jnp.float32).at[slots].set(jnp.where(is_modelled, value, jnp.nan))
                for name, value in reasons_of(suggestion, parameters, memory.region).items()
            },
            after,
        )

    def encode(hyperparams: Hyperparams) -> tuple[Array, Array]:
        return encode_numbers(space, hyperparams), encode_categories(space, hyperparams)

    def decode(suggestion: Suggestion) -> Hyperparams:
        numbers = {
            name: decode_number(distribution, suggestion.numbers[:, index])
            for index, (name, distribution) in enumerate(space.numbers.items())
        }
        categories = {
            name: listed(choice)[suggestion.categories[:, index]]
            for index, (name, choice) in enumerate(space.categories.items())
        }
        return numbers | categories

    def draw(key: Key) -> Hyperparams:
        return {
            name: jax.vmap(prior(distribution).sample)(member_keys(derive(key, name), size))
            for name, distribution in {**space.numbers, **space.categories}.items()
        }

    def reasons_of(suggestion: Suggestion, parameters: Parameters, region: Region) -> dict[str, Array]:
        """Scalars, or one for each suggestion."""
        length_scales = {length_scale(name): parameters.length_scales[1 + i] for i, name in enumerate(space.numbers)}
        return {
            "predicted_mean": suggestion.mean,
            "predicted_deviation": suggestion.deviation,
            "acquisition": suggestion.acquisition,
            "trust_region": region.side,
            "time_decay": parameters.time_decay,
        } | length_scales

    return Tuner(
        begin, learn, explore, encode, decode, draw, arms, (*REASONS, *(length_scale(name) for name in space.numbers))
    )


REASONS = ("predicted_mean", "predicted_deviation", "acquisition", "trust_region", "time_decay")


def length_scale(name: str) -> str:
    return f"length_scale/{name}"
