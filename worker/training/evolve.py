"""Evolution and resets: the method's plan is carried out, proven and recorded as spans of lineage."""

from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import Span
from phylon.worker.execution import checksum
from phylon.worker.execution.members import blank_members
from phylon.worker.gang.gang import compare, gather
from phylon.worker.population import AS_IT_IS, Evolution, PopulationScores
from phylon.worker.population.fitness import fitness_spec, forget, inherit
from phylon.worker.training.assembly import Parts
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.checks import check_copies, check_donors
from phylon.worker.training.moving import copy_experience, move_members


def evolve(attempt: Attempt) -> None:
    parts, state, method = attempt.parts, attempt.state, attempt.parts.method
    if fitness_spec(attempt.spec).of != "evaluation" and np.isnan(state.fitness).all():
        return  # nobody has been measured yet, so there is nothing to select by
    with attempt.stopwatch.phase("evolve"):
        scores = PopulationScores(np.int32(state.step), state.fitness, state.returns, state.was_reset)
        plan = attempt.programs.plan_evolution(attempt.key, state.method_state, state.hyperparams, scores)
        evolution, ranks = jax.device_get(plan)
        compare(parts.gang, f"the plan of the evolution at step {state.step:,}", plan)
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
            weights = parts.gather_held(checksum(state.population))
        is_renewal = evolution.renewal is not None and bool(np.any(evolution.renewal != AS_IT_IS))
        if is_renewal:
            _renew_members(attempt, evolution)
            weights = parts.gather_held(checksum(state.population))
        spans = state.lineage.births(
            evolution,
            births=[None if out else birth for out, birth in zip(remain_out, method.describe(evolution), strict=True)],
            before=state.hyperparams,
            fitness=state.fitness,
            ranks=ranks,
            weights=weights,
        )
        if method.copying.replay:
            copy_experience(parts, evolution.parents)
        state.history = inherit(state.history, evolution.parents)
        state.was_reset = np.zeros_like(state.was_reset)
        state.diverged = remain_out
        _inherit_episodes(parts, evolution.parents)
        if is_renewal:
            state.history = forget(state.history)
            parts.collector.episodes.forget()
        state.method_state, state.hyperparams = evolution.method_state, evolution.hyperparams
        state.placed = parts.execution.place(parts.take_held(state.hyperparams))
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
        state.population = move_members(parts, state.population, whole)
    copied = state.population
    if copies_policies:
        copied = {field: getattr(copied, field) for field in parts.work.algorithm.policy}
    before = parts.gather_held(checksum(copied))
    copied = move_members(parts, copied, evolution.parents)
    after = parts.gather_held(checksum(copied))
    check_copies(before, after, evolution.parents, evolution.hyperparams)
    state.population = state.population._replace(**copied) if copies_policies else copied
    return after


def _inherit_episodes(parts: Parts, parents: NDArray[np.int32]) -> None:
    kept, here = gather(parts.gang, parts.collector.episodes.latest()), slice(parts.members.start, parts.members.stop)
    is_child = parents != np.arange(len(parents))
    parts.collector.episodes.inherit(kept[parents[here]], is_child[here])


def _renew_members(attempt: Attempt, evolution: Evolution[NDArray[Any]]) -> None:
    state = attempt.state
    population = jax.device_get(state.population)  # on one device, as new members are drawn
    values, shares = attempt.parts.take_held((evolution.hyperparams, evolution.renewal))
    renewed = attempt.programs.renew_members(attempt.key, np.uint32(state.step), values, population, shares)
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
        hyperparams, diverged = parts.take_held((state.hyperparams, state.diverged))
        fresh = attempt.programs.reset_members(attempt.key, np.uint32(state.step), hyperparams, population)
        fresh = jax.device_get(fresh)
        state.population = parts.execution.place(blank_members(fresh, diverged) if diverged.any() else fresh)
        state.history = forget(state.history)
        state.was_reset = np.ones_like(state.was_reset)
        parts.collector.episodes.forget()
        spans = state.lineage.resets(
            parts=resets.parts or tuple(parts.work.algorithm.parts),
            hyperparams=state.hyperparams,
            fitness=state.fitness,
            weights=parts.gather_held(checksum(state.population)),
            slots=np.flatnonzero(~state.diverged).tolist(),
        )
    attempt.journal.record("lineage", state.step, spans=spans)
    print(f"step {state.step:,}: every member is reset", flush=True)
