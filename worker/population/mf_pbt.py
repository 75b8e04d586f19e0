"""MF-PBT (Doulazmi et al. 2025, arXiv 2506.03225): parts of the population evolve at several frequencies.

where a part evolves, by rank within it, in quarters:
    first, second   live on
    third           each takes over the weights of the best outsider that nobody took yet, if that one is better:
                    from a less frequent part with its hyper-parameters, else with those of the own part's best
    fourth          copies the first and explores
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from phylon.spec import ExperimentSpec
from phylon.spec.methods.mf_pbt import MFPBTSpec
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.explore import build_moves, explore_members
from phylon.worker.population.method import Birth, Evolution, MethodState, PopulationMethod, PopulationScores
from phylon.worker.population.pbt import operator_of
from phylon.worker.population.selection import ranks

COPIED, MIGRATED, MIGRATED_ALONE = 1, 2, 3
"""What was done to a slot: the last is a migration of weights without hyper-parameters."""
OWN_BEST = "part's best"
"""The word for values that came from the own part's best, while the weights came from elsewhere."""


class _Plan(NamedTuple):
    """What one part would do, [P] each; `kind` 0 for everyone else."""

    weights_from: Array
    values_from: Array
    kind: Array


def mf_pbt(spec: ExperimentSpec) -> PopulationMethod:
    method, size = spec.population.method, spec.population.size
    assert isinstance(method, MFPBTSpec)
    moves = build_moves(spec.algorithm, method.explore, {})
    frequencies = np.array(method.frequencies, np.int32)
    part_size = size // len(frequencies)
    quarter = part_size // 4
    part_of = np.repeat(np.arange(len(frequencies)), part_size)

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams
        return jnp.zeros((), jnp.int32)  # intervals so far

    def evolve(
        key: Key, method_state: MethodState, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        interval = method_state + 1
        rank = ranks(scores.fitness)
        weights_from, values_from = jnp.arange(size, dtype=jnp.int32), jnp.arange(size, dtype=jnp.int32)
        kind = jnp.zeros(size, jnp.int32)
        for part, frequency in enumerate(frequencies.tolist()):
            is_due = interval % frequency == 0
            plan = _part_plan(part, rank, jnp.isnan(scores.fitness))
            weights_from = jnp.where(is_due & (plan.kind > 0), plan.weights_from, weights_from)
            values_from = jnp.where(is_due & (plan.kind > 0), plan.values_from, values_from)
            kind = jnp.where(is_due, jnp.maximum(kind, plan.kind), kind)
        if not method.copying.hyperparams:
            values_from = jnp.arange(size, dtype=jnp.int32)
        inherited = {name: values[values_from] for name, values in hyperparams.items()}
        evolved, changes = explore_members(derive(key, "explore"), kind == COPIED, inherited, moves)
        return Evolution(interval, weights_from, evolved, changes, {"kind": kind.astype(jnp.float32)}, inherited)

    def _part_plan(part: int, rank: Array, is_missing: Array) -> _Plan:
        """`is_missing` [P]: without fitness, as those who diverged; nobody takes anything of them."""
        own = part_of == part
        order = jnp.lexsort((rank, jnp.asarray(~own)))[:part_size]  # slots of this part, the best first
        slots = jnp.arange(size, dtype=jnp.int32)
        weights_from, values_from, kind = slots, slots, jnp.zeros(size, jnp.int32)
        losers, winners = order[part_size - quarter :], order[:quarter]
        winners = jnp.where(is_missing[winners], jnp.argmin(rank).astype(jnp.int32), winners)
        weights_from, values_from = weights_from.at[losers].set(winners), values_from.at[losers].set(winners)
        kind = kind.at[losers].set(COPIED)
        outsiders = jnp.lexsort((rank, jnp.asarray(own)))[: size - part_size]
        taken = jnp.zeros((), jnp.int32)
        for place in range(2 * quarter, 3 * quarter):
            slot, migrant = order[place], outsiders[taken]
            is_better = (rank[migrant] < rank[slot]) & ~is_missing[migrant]
            from_steadier = jnp.asarray(frequencies)[jnp.asarray(part_of)[migrant]] > frequencies[part]
            values = jnp.where(from_steadier | is_missing[order[0]], migrant, order[0])
            weights_from = weights_from.at[slot].set(jnp.where(is_better, migrant, weights_from[slot]))
            values_from = values_from.at[slot].set(jnp.where(is_better, values, values_from[slot]))
            kind = kind.at[slot].set(jnp.where(is_better, jnp.where(from_steadier, MIGRATED, MIGRATED_ALONE), 0))
            taken += is_better.astype(jnp.int32)
        return _Plan(weights_from, values_from, kind)

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        assert evolution.reasons is not None
        births: list[Birth | None] = []
        for slot, kind in enumerate(np.asarray(evolution.reasons["kind"]).astype(int).tolist()):
            if kind == COPIED:
                changes = {name: move.words[int(evolution.changes[name][slot])] for name, move in moves.items()}
                births.append(Birth(operator_of(changes), changes))
            elif kind in (MIGRATED, MIGRATED_ALONE):
                is_best = kind == MIGRATED_ALONE and method.copying.hyperparams
                births.append(Birth("migrate", dict.fromkeys(moves, OWN_BEST if is_best else "inherit")))
            else:
                births.append(None)
        return births

    return PopulationMethod(init, evolve, describe, method.copying)
