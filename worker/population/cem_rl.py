"""CEM-RL (Pourchot & Sigaud 2019, arXiv 1810.01222): a search over policies' weights, helped along by gradients.

    all policies are drawn from a Gaussian
    those in the first slots make gradient steps with a critic that all share   (the training loop)
    all are evaluated; the best, trained or not, move the Gaussian              (here)

A drawn policy starts with a target equal to it and a fresh optimiser; the critic lives on. Of antithetic draws the
second half are the mirrors of the first, so with half of the members trained one of each pair is and one is not.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from phylon.spec import ExperimentSpec
from phylon.spec.methods.cem_rl import CEMRLSpec
from phylon.spec.selection import members_of_share
from phylon.worker.core.types import Array, Hyperparams, Joint, Key, Params
from phylon.worker.learning import adam_init
from phylon.worker.population import cem
from phylon.worker.population.cem import CEMState
from phylon.worker.population.method import (
    Birth,
    Evolution,
    MethodState,
    PopulationMethod,
    PopulationScores,
    WeightSearch,
)


def cem_rl(spec: ExperimentSpec) -> PopulationMethod:
    method, size = spec.population.method, spec.population.size
    assert isinstance(method, CEMRLSpec)
    elites, trained = members_of_share(size, method.elites), members_of_share(size, method.trained)

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams  # what is remembered is the search's
        return ()

    def evolve(
        key: Key, method_state: MethodState, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        """Nobody is copied: the search draws everyone afresh."""
        del key
        reasons = {
            "elite_weight": cem.elite_weights(scores.fitness, elites, method.weights),
            "trained": (jnp.arange(size) < trained).astype(jnp.float32),
        }
        return Evolution(method_state, jnp.arange(size, dtype=jnp.int32), hyperparams, {}, reasons)

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        assert evolution.reasons is not None
        heaviest = int(np.argmax(evolution.reasons["elite_weight"]))
        return [Birth("sample", {}, parent=heaviest) for _ in range(size)]

    def begin(key: Key, population: Joint) -> tuple[CEMState, Joint]:
        first = jax.tree.map(lambda leaf: leaf[0], population.members.policy)
        state = cem.begin(first, method.initial_variance, method.noise.initial)
        return state, with_policies(population, cem.sample(key, state, size, method.antithetic))

    def breed(key: Key, state: CEMState, population: Joint, scores: PopulationScores[Array]) -> tuple[CEMState, Joint]:
        weights = cem.elite_weights(scores.fitness, elites, method.weights)
        state = cem.update(state, population.members.policy, weights, method.noise.decay, method.noise.final)
        return state, with_policies(population, cem.sample(key, state, size, method.antithetic))

    def centre(state: CEMState, population: Joint) -> Joint:
        everywhere = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (size, *leaf.shape)), state.mean)
        return with_policies(population, everywhere)

    return PopulationMethod(init, evolve, describe, search=WeightSearch(begin, breed, centre, cem.deviation))


def with_policies(population: Joint, policies: Params) -> Joint:
    """Members that start over with these policies [P, ...]; all else of theirs, and what they share, stays."""
    members = population.members
    renewed = {"policy": policies, "policy_optimiser": jax.vmap(adam_init)(policies)}
    if "target_policy" in members._fields:
        renewed["target_policy"] = policies
    return population._replace(members=members._replace(**renewed))
