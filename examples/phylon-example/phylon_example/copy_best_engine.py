"""The plan of `copy_best`: a pure function of how well members do. The training loop moves the weights."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from phylon.spec import ExperimentSpec, tuned
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population import Birth, Evolution, PopulationMethod, PopulationScores
from phylon.worker.population.hyperparams import prior
from phylon_example.copy_best import CopyBestSpec


def copy_best(spec: ExperimentSpec) -> PopulationMethod:
    method, slots = spec.population.method, np.arange(spec.population.size, dtype=np.int32)
    assert isinstance(method, CopyBestSpec)
    priors = {name: prior(distribution) for name, distribution in tuned(spec.algorithm).items()}

    def init(key: Key, hyperparams: Hyperparams) -> tuple[()]:
        del key, hyperparams
        return ()

    def evolve(
        key: Key, method_state: tuple[()], hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        fitness = jnp.nan_to_num(scores.fitness, nan=-jnp.inf)  # no fitness is worse than any
        order = jnp.argsort(fitness)
        worst, best = order[0], order[-1]
        parents = jnp.where(slots == worst, best, slots).astype(jnp.int32)
        evolved, changes = dict(hyperparams), dict[str, Array]()
        for name, distribution in priors.items():
            amount = method.spread * jax.random.uniform(derive(key, name), minval=-1.0)
            moved = distribution.shift(hyperparams[name][best], amount, 0.0)  # never leaves the bounds
            evolved[name] = jnp.where(parents == slots, hyperparams[name], moved)
            changes[name] = (parents != slots).astype(jnp.int32)
        return Evolution(method_state, parents, evolved, changes)

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        """What the lineage says of each slot; None where nothing happened."""
        is_copy = np.asarray(evolution.parents) != slots
        return [Birth("perturb", dict.fromkeys(priors, "shift")) if copied else None for copied in is_copy]

    return PopulationMethod(init, evolve, describe)
