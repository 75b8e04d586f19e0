"""IPBT (Chebykin, Alderliesten & Bosman 2025, arXiv 2511.09190): PBT that is started again where it no longer gains.

    at each interval, which is twice as long in each iteration
        the worst quarter copies the best and explores by the model of a trust region         (trust_region.tuner)
    where the smoothed best fitness no longer rises, and time is left for two of the next intervals   (stagnation)
        everyone copies one of the best quarter; a random half of them becomes new, the others are shrunk and perturbed
        one half draws new values, the other gets them from a model of how whole iterations went that began so

The spec's interval is that of the first iteration. The loop asks at each of those, and in between nothing is done.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from phylon.spec import ExperimentSpec, tuned
from phylon.spec.methods.ipbt import IPBTSpec
from phylon.spec.selection import donors, replaced_members
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.method import (
    ALL_NEW,
    AS_IT_IS,
    Birth,
    Evolution,
    PopulationMethod,
    PopulationScores,
)
from phylon.worker.population.pb2.categories import MODEL, RESAMPLE, WORDS
from phylon.worker.population.pb2.family import describe as describe_selection
from phylon.worker.population.pb2.observations import Observations, nothing, record
from phylon.worker.population.pb2.proposal import Pending
from phylon.worker.population.selection import avoid_missing, best_first, truncation
from phylon.worker.population.stagnation import Series, empty_series, extend, is_stagnant
from phylon.worker.population.trust_region import region as regions
from phylon.worker.population.trust_region.kernel import usual_parameters
from phylon.worker.population.trust_region.proposal import suggest
from phylon.worker.population.trust_region.tuner import Memory, build_tuner

ITERATIONS = 8
"""Latest ones that the model of iterations remembers; intervals that double leave room for hardly more."""


class State(NamedTuple):
    memory: Memory
    """Of the intervals of this iteration."""
    series: Series
    iteration: Array
    """int32: how many came before this one."""
    waited: Array
    """int32: first intervals since the latest selection."""
    first: Hyperparams
    """What each slot began this iteration with, [P] for each name."""
    origin: Array
    """int32 [P]: the slot of the iteration's start that each slot descends from."""
    best: Array
    """float32 [P]: the highest fitness of any descendant of each slot of the start."""
    iterations: Observations
    """Of earlier ones: what a lineage began with, and how far it came."""


def ipbt(spec: ExperimentSpec) -> PopulationMethod:
    method, size = spec.population.method, spec.population.size
    assert isinstance(method, IPBTSpec)
    replaced, best = replaced_members(size, method.selection), donors(size, method.selection)
    tuner = build_tuner(spec, method.window, method.optimism, method.trust_region)
    slots, half = jnp.arange(size, dtype=jnp.int32), size // 2
    shrunk, names = (method.shrink.keep, method.shrink.fresh), tuned(spec.algorithm)

    def init(key: Key, hyperparams: Hyperparams) -> State:
        del key
        numbers, categories = tuner.encode(hyperparams)
        unknown = nothing(ITERATIONS * size, numbers.shape[-1], categories.shape[-1])
        return _begin(jnp.int32(0), hyperparams, unknown)

    def _begin(iteration: Array, hyperparams: Hyperparams, iterations: Observations) -> State:
        worst = jnp.full(size, -jnp.inf, jnp.float32)
        return State(tuner.begin, empty_series(), iteration, jnp.int32(0), hyperparams, slots, worst, iterations)

    def evolve(
        key: Key, method_state: State, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        # An interval with a reset teaches nothing, as in PB2; it may have come before the latest time of waiting.
        start = jnp.where(scores.was_reset, jnp.nan, method_state.memory.start)
        memory = method_state.memory._replace(start=start)
        state = method_state._replace(memory=memory, waited=method_state.waited + 1)
        length = jnp.left_shift(1, state.iteration)  # in intervals of the first iteration
        is_due = state.waited >= length
        series = jax.lax.cond(
            is_due,
            lambda: extend(derive(key, "series"), state.series, jnp.nanmax(scores.fitness)),
            lambda: state.series,
        )
        state = state._replace(series=series)
        # The next iteration has intervals of twice the length, and two of them must fit into the budget.
        passed, budget = scores.step // method.interval, spec.budget.env_steps // method.interval
        is_over = is_due & is_stagnant(series, method.patience) & (passed + 4 * length <= budget)
        what = is_due.astype(jnp.int32) + is_over.astype(jnp.int32)
        return jax.lax.switch(what, (wait, select, iterate), key, state, hyperparams, scores)

    def wait(key: Key, state: State, hyperparams: Hyperparams, scores: PopulationScores[Array]) -> Evolution[Array]:
        del key, scores
        return _plan(state, slots, hyperparams, _no_changes(hyperparams), _no_reasons())

    def select(key: Key, state: State, hyperparams: Hyperparams, scores: PopulationScores[Array]) -> Evolution[Array]:
        fitness = scores.fitness
        memory = tuner.learn(state.memory, hyperparams, fitness)
        parents = truncation(derive(key, "select"), fitness, replaced, best)
        worst = best_first(fitness)[-replaced:]
        explored = tuner.explore(derive(key, "explore"), memory, hyperparams, fitness, parents, worst)
        after = _credit(state, fitness)._replace(
            memory=explored.memory, waited=jnp.int32(0), origin=state.origin[parents]
        )
        return _plan(after, parents, explored.hyperparams, explored.changes, explored.reasons)

    def iterate(key: Key, state: State, hyperparams: Hyperparams, scores: PopulationScores[Array]) -> Evolution[Array]:
        order = best_first(scores.fitness)
        chosen = jax.random.choice(derive(key, "donors"), order[:best], (size,)).at[order[0]].set(order[0])
        parents = avoid_missing(derive(key, "missing"), scores.fitness, chosen.astype(jnp.int32), best)
        state = _credit(state, scores.fitness)
        began = tuner.encode(state.first)
        seen = record(state.iterations, state.iteration + 1, jnp.zeros(size), *began, state.best)
        values, code = _first_values(derive(key, "values"), state, began, seen)
        evolved = {name: values.get(name, old) for name, old in hyperparams.items()}
        is_new = jax.random.permutation(derive(key, "new"), size) < half
        renewal = jnp.where(is_new[:, None], jnp.array([ALL_NEW]), jnp.array([shrunk]))
        changes = {name: code for name in hyperparams if name in values}
        after = _begin(state.iteration + 1, evolved, seen)
        return _plan(after, parents, evolved, changes, _no_reasons(), renewal.astype(jnp.float32))

    def _first_values(
        key: Key, state: State, began: tuple[Array, Array], seen: Observations
    ) -> tuple[Hyperparams, Array]:
        """Of a new iteration, [P]: half are drawn, the others chosen near what the best lineage began with."""
        drawn, chosen = tuner.draw(derive(key, "priors")), slots[half:]
        winner = jnp.argmax(state.best)
        is_drawn = slots < half
        centre = [jnp.broadcast_to(values[winner], values.shape) for values in began]
        numbers, categories = (
            jnp.where(is_drawn[:, None], own, best) for own, best in zip(tuner.encode(drawn), centre, strict=True)
        )
        suggestion, _ = suggest(
            derive(key, "suggest"),
            method.optimism,
            tuner.arms,
            seen,
            Pending(jnp.zeros(size), numbers, categories, is_drawn),
            chosen,
            regions.fresh(method.trust_region),
            usual_parameters(1 + numbers.shape[-1]),
        )
        # Without any row, such as where nobody had a fitness, there is nothing to choose by.
        is_modelled = ~is_drawn & jnp.any(seen.is_there)
        suggested = tuner.decode(suggestion)
        values = {
            name: jnp.where(is_modelled, value.at[chosen].set(suggested[name]), value) for name, value in drawn.items()
        }
        return values, jnp.where(is_modelled, MODEL, RESAMPLE).astype(jnp.int32)

    def _credit(state: State, fitness: Array) -> State:
        scores = jnp.where(jnp.isnan(fitness), -jnp.inf, fitness)
        return state._replace(best=state.best.at[state.origin].max(scores))

    def _no_changes(hyperparams: Hyperparams) -> dict[str, Array]:
        return {name: jnp.zeros(size, jnp.int32) for name in hyperparams if name in names}

    def _no_reasons() -> dict[str, Array]:
        return {name: jnp.full(size, jnp.nan, jnp.float32) for name in tuner.reasons}

    def _plan(
        state: State,
        parents: Array,
        hyperparams: Hyperparams,
        changes: dict[str, Array],
        reasons: dict[str, Array],
        renewal: Array | None = None,
    ) -> Evolution[Array]:
        kept = jnp.broadcast_to(jnp.array(AS_IT_IS, jnp.float32)[None, :], (size, 2))
        number = jnp.full(size, state.iteration, jnp.float32)
        is_child = parents != slots if renewal is None else jnp.ones(size, jnp.bool_)
        reasons = reasons | {"iteration": jnp.where(is_child, number, jnp.nan)}
        renewal = kept if renewal is None else renewal
        return Evolution(state, parents, hyperparams, changes, reasons, renewal=renewal)

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        births = describe_selection(evolution)
        assert evolution.renewal is not None
        for slot, (keep, _) in enumerate(np.asarray(evolution.renewal).tolist()):
            if keep != AS_IT_IS[0]:
                words = {name: WORDS[int(codes[slot])] for name, codes in evolution.changes.items()}
                births[slot] = Birth("reset", {**words, "weights": "fresh" if keep == ALL_NEW[0] else "shrink"})
        return births

    return PopulationMethod(init, evolve, describe)
