"""Evolution and resets: the method's plan is carried out, proven and recorded as spans of lineage."""

from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import Span
from phylon.worker.execution import checksum
from phylon.worker.population import Evolution, PopulationScores
from phylon.worker.population.fitness import inherit
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.checks import check_copies


def evolve(attempt: Attempt) -> None:
    parts, state, method = attempt.parts, attempt.state, attempt.parts.method
    with attempt.stopwatch.phase("evolve"):
        scores = PopulationScores(np.int32(state.step), state.fitness, state.returns)
        plan = attempt.programs.plan_evolution(attempt.key, state.method_state, state.hyperparams, scores)
        evolution, ranks = jax.device_get(plan)
        reported = {name: state.latest_metrics[name] for name in method.reported if name in state.latest_metrics}
        evolution = evolution._replace(reasons={**(evolution.reasons or {}), **reported})
        weights = _copy_members(attempt, evolution)
        if method.search:
            state.search_state, state.population = attempt.programs.breed(
                attempt.key, state.search_state, state.population, scores
            )
            weights = checksum(state.population)
        spans = state.lineage.births(
            evolution,
            births=method.describe(evolution),
            before=state.hyperparams,
            fitness=state.fitness,
            ranks=ranks,
            weights=weights,
        )
        if method.copying.replay:
            parts.experience.copy(evolution.parents)
        state.history = inherit(state.history, evolution.parents)
        state.method_state, state.hyperparams = evolution.method_state, evolution.hyperparams
        state.placed = parts.execution.place(state.hyperparams)
    if spans:
        attempt.journal.record("lineage", state.step, spans=spans)
        print(f"step {state.step:,}: {_summarise(spans, evolution)}", flush=True)


def _copy_members(attempt: Attempt, evolution: Evolution[NDArray[Any]]) -> NDArray[np.uint32]:
    """Moves weights along the plan and proves it; returns the checksums of what was copied, [P, 2]."""
    parts, state = attempt.parts, attempt.state
    copies_policies = parts.method.copying.what == "policy"
    copied = state.population
    if copies_policies:
        copied = {field: getattr(copied, field) for field in parts.work.algorithm.policy}
    before = checksum(copied)
    copied = parts.execution.gather(copied, evolution.parents)
    after = checksum(copied)
    check_copies(before, after, evolution.parents, evolution.hyperparams)
    state.population = state.population._replace(**copied) if copies_policies else copied
    return after


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
        state.population = parts.execution.place(jax.device_get(fresh))
        spans = state.lineage.resets(
            parts=resets.parts or tuple(parts.work.algorithm.parts),
            hyperparams=state.hyperparams,
            fitness=state.fitness,
            weights=checksum(state.population),
        )
    attempt.journal.record("lineage", state.step, spans=spans)
    print(f"step {state.step:,}: every member is reset", flush=True)
