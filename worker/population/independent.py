"""Members that never copy each other. The loop does not ask it to evolve; if it did, everyone would live on."""

import jax.numpy as jnp

from phylon.spec import ExperimentSpec
from worker.core.types import Array, Hyperparams, Key
from worker.population.method import Evolution, MethodState, PopulationMethod


def independent(spec: ExperimentSpec) -> PopulationMethod:
    size = spec.population.size

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams
        return ()

    def evolve(key: Key, method_state: MethodState, hyperparams: Hyperparams, fitness: Array) -> Evolution:
        del key, fitness
        return Evolution(method_state, jnp.arange(size, dtype=jnp.int32), hyperparams, {})

    def describe(evolution: Evolution) -> list[dict[str, str]]:
        return [{} for _ in evolution.parents]

    return PopulationMethod(init, evolve, describe)
