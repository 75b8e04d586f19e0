"""The core of BG-PBT (Wan et al. 2022, arXiv 2207.09405): PBT that explores by Bayesian optimisation in a trust region.

    remember what each member gained in the interval that ends, and adapt the region      (trust_region.tuner)
    each of the worst copies one of the best                                               (PBT's truncation)
    each copy is given numbers and categories near those of the member it copies, in turn  (trust_region.proposal)

The paper's change of architectures by distillation is not here.
"""

import jax.numpy as jnp

from phylon.spec import ExperimentSpec
from phylon.spec.methods.bg_pbt import BGPBTSpec
from phylon.spec.selection import donors, replaced_members
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.method import Evolution, PopulationMethod, PopulationScores
from phylon.worker.population.pb2.family import describe
from phylon.worker.population.selection import best_first, truncation
from phylon.worker.population.trust_region.tuner import Memory, build_tuner


def bg_pbt(spec: ExperimentSpec) -> PopulationMethod:
    method, size = spec.population.method, spec.population.size
    assert isinstance(method, BGPBTSpec)
    replaced, best = replaced_members(size, method.selection), donors(size, method.selection)
    tuner = build_tuner(spec, method.window, method.optimism, method.trust_region)

    def init(key: Key, hyperparams: Hyperparams) -> Memory:
        del key, hyperparams
        return tuner.begin

    def evolve(
        key: Key, method_state: Memory, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        # An interval with a reset teaches nothing, as in PB2.
        method_state = method_state._replace(start=jnp.where(scores.was_reset, jnp.nan, method_state.start))
        memory = tuner.learn(method_state, hyperparams, scores.fitness)
        parents = truncation(derive(key, "select"), scores.fitness, replaced, best)
        slots = best_first(scores.fitness)[-replaced:].astype(jnp.int32)
        explored = tuner.explore(derive(key, "explore"), memory, hyperparams, scores.fitness, parents, slots)
        return Evolution(explored.memory, parents, explored.hyperparams, explored.changes, explored.reasons)

    return PopulationMethod(init, evolve, describe)
