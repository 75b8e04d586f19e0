"""Evolution and resets: the method's plan is carried out, proven and recorded as spans of lineage."""

from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import Span
from phylon.worker.execution import checksum
from phylon.worker.execution.members import blank_members
from phylon.worker.population import AS_IT_IS, Evolution, PopulationScores
from phylon.worker.population.fitness import fitness_spec, forget, inherit
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.checks import check_copies, check_donors


def evolve(attempt: Attempt) -> None:
    parts, state, method = attempt.parts, attempt.state, attempt.parts.method
    if fitness_spec(attempt.spec).of != "evaluation" and np.isnan(state.fitness).all():
        return  # nobody has been measured yet, so there is nothing to select by
    with attempt.stopwatch.phase("evolve"):
        scores = PopulationScores(np.int32(state.step), state.fitness, state.returns, state.was_reset)
        plan = attempt.programs.plan_evolution(attempt.key, state.method_state, state.hyperparams, scores)
        evolution, ranks = jax.device_get(plan)
        reported = {name: state.latest_metrics[name] for name in method.reported if name in state.latest_metrics}
        evolution = evolution._replace(reasons={**(evolution.reasons or {}), **reported})
        check_donors(evolution.parents, state.diverged, evolution.hyperparams)
        remain_out = find_unreplaced(attempt, evolution.parents)
        # No span begins for them, so their values stay those of the span that they have.
        values = {
            name: np.where(remain_out, state.hyperparams[name], new) for name, new in evolution.hyperparams.items()
        }
        evolution = evolution._replace(hyperparams=values)
        weights = _copy_members(attempt, evolution)
        if method.search:
            state.search_state, state.population = attempt.programs.breed(
                attempt.key, state.search_state, state.population, scores
            )
            weights = checksum(state.population)
        is_renewal = evolution.renewal is not None and bool(np.any(evolution.renewal != AS_IT_IS))
        if is_renewal:
            _renew_members(attempt, evolution)
            weights = checksum(state.population)
        spans = state.lineage.births(
            evolution,
            births=[None if out else birth for out, birth in zip(remain_out, method.describe(evolution), strict=True)],
            before=state.hyperparams,
            fitness=state.fitness,
            ranks=ranks,
            weights=weights,
        )
        if method.copying.replay:
            parts.experience.copy(evolution.parents)
        state.history = inherit(state.history, evolution.parents)
        state.was_reset = np.zeros_like(state.was_reset)
        state.diverged = remain_out
        parts.collector.episodes.inherit(evolution.parents)
        if is_renewal:
            state.history = forget(state.history)
            parts.collector.episodes.forget()
        state.method_state, state.hyperparams = evolution.method_state, evolution.hyperparams
        state.placed = parts.execution.place(state.hyperparams)
    if spans:
        attempt.journal.record("lineage", state.step, spans=spans)
        print(f"step {state.step:,}: {_summarise(spans, evolution)}", flush=True)


def find_unreplaced(attempt: Attempt, parents: NDArray[np.int32]) -> NDArray[np.bool_]:
    """[P]: those that are set aside and stay so; a search over weights draws every member again."""
    state = attempt.state
    if attempt.parts.method.search:
        return np.zeros_like(state.diverged)
    return state.diverged & (parents == np.arange(len(parents)))


def _copy_members(attempt: Attempt, evolution: Evolution[NDArray[Any]]) -> NDArray[np.uint32]:
    """Moves weights along the plan and proves it; returns the checksums of what was copied, [P, 2]."""
    parts, state = attempt.parts, attempt.state
    copies_policies = parts.method.copying.what == "policy"
    if copies_policies and state.diverged.any():  # they have no critics of their own to go on with
        whole = np.where(state.diverged, evolution.parents, np.arange(len(evolution.parents), dtype=np.int32))
        state.population = parts.execution.gather(state.population, whole)
    copied = state.population
    if copies_policies:
        copied = {field: getattr(copied, field) for field in parts.work.algorithm.policy}
    before = checksum(copied)
    copied = parts.execution.gather(copied, evolution.parents)
    after = checksum(copied)
    check_copies(before, after, evolution.parents, evolution.hyperparams)
    state.population = state.population._replace(**copied) if copies_policies else copied
    return after


def _renew_members(attempt: Attempt, evolution: Evolution[NDArray[Any]]) -> None:
    state = attempt.state
    population = jax.device_get(state.population)  # on one device, as new members are drawn
    renewed = attempt.programs.renew_members(
        attempt.key, np.uint32(state.step), evolution.hyperparams, population, evolution.renewal
    )
    state.population = attempt.parts.execution.place(jax.device_get(renewed))


def _summarise(spans: list[Span], evolution: Evolution[NDArray[Any]]) -> str:
    moved = [(span.slot, evolution.parents[span.slot]) for span in spans]
    replaced = ", ".join(f"{slot} by {parent}" for slot, parent in moved if slot != parent)
    return f"members replaced: {replaced}" if replaced else f"{spans[0].operator} for {len(moved)} members"


def reset_members(attempt: Attempt) -> None:
    parts, state, resets = attempt.parts, attempt.state, attempt.spec.resets
    assert resets is not None
    with attempt.stopwatch.phase("evolve"):
        # On one device, as new members are drawn; see `build_execution`.
        population = jax.device_get(state.population)
        fresh = attempt.programs.reset_members(attempt.key, np.uint32(state.step), state.hyperparams, population)
        fresh = jax.device_get(fresh)
        state.population = parts.execution.place(
            blank_members(fresh, state.diverged) if state.diverged.any() else fresh
        )
        state.history = forget(state.history)
        state.was_reset = np.ones_like(state.was_reset)
        parts.collector.episodes.forget()
        spans = state.lineage.resets(
            parts=resets.parts or tuple(parts.work.algorithm.parts),
            hyperparams=state.hyperparams,
            fitness=state.fitness,
            weights=checksum(state.population),
            slots=np.flatnonzero(~state.diverged).tolist(),
        )
    attempt.journal.record("lineage", state.step, spans=spans)
    print(f"step {state.step:,}: every member is reset", flush=True)
