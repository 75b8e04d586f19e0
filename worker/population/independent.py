"""Members that never copy each other. The loop does not ask it to evolve; if it did, everyone would live on."""

from typing import Any

import jax.numpy as jnp

from phylon.spec import ExperimentSpec
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.method import Birth, Evolution, MethodState, PopulationMethod, PopulationScores


def independent(spec: ExperimentSpec) -> PopulationMethod:
    size = spec.population.size

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams
        return ()

    def evolve(
        key: Key, method_state: MethodState, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        del key, scores
        return Evolution(method_state, jnp.arange(size, dtype=jnp.int32), hyperparams, {})

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        return [None for _ in evolution.parents]

    return PopulationMethod(init, evolve, describe)
