"""Any algorithm with a replay on n-step returns: by the member's own discount, when it learns."""

from functools import partial

import jax

from phylon.worker.core.types import (
    Algorithm,
    Array,
    Hyperparams,
    Joint,
    JointAlgorithm,
    Key,
    Metrics,
    NStepTransition,
    State,
)
from phylon.worker.learning.n_step import as_transition


def with_n_step_returns(algorithm: Algorithm) -> Algorithm:
    def update(
        state: State, hyperparams: Hyperparams, batch: NStepTransition[Array], key: Key
    ) -> tuple[State, Metrics]:
        rows = jax.vmap(partial(as_transition, discount=hyperparams["discount"]))(batch)
        return algorithm.update(state, hyperparams, rows, key)

    return algorithm._replace(update=update)


def jointly_with_n_step_returns(algorithm: JointAlgorithm) -> JointAlgorithm:
    """All learners have the critic's discount."""

    def update(
        population: Joint, hyperparams: Hyperparams, batch: NStepTransition[Array], keys: Key
    ) -> tuple[Joint, Metrics]:
        row = partial(as_transition, discount=hyperparams["discount"][0])
        return algorithm.update(population, hyperparams, jax.vmap(jax.vmap(row))(batch), keys)

    return algorithm._replace(update=update)
