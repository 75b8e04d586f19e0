"""Any algorithm with normalised observations: its networks see them on the scale of the member's running statistics.

Environments, rollouts and replay hold observations as they are. The statistics are a field of the state that acting and
learning read and neither changes; the training loop takes a segment's observations in (`training/observing.py`).
"""

from typing import Any, cast

from phylon.worker.core.types import Algorithm, Array, Batch, Hyperparams, Key, Metrics, Rollout, State, Transition
from phylon.worker.learning.observation_statistics import empty_statistics, normalise

STATISTICS = "observations"
"""The field of the state, None where observations are taken as they are."""


def with_normalised_observations(algorithm: Algorithm, shape: tuple[int, ...], clip: float) -> Algorithm:
    """`shape`: of an observation."""

    def init(key: Key, hyperparams: Hyperparams) -> State:
        return algorithm.init(key, hyperparams)._replace(**{STATISTICS: empty_statistics(shape)})

    def act(state: State, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array:
        return algorithm.act(state, hyperparams, normalise(state.observations, obs, clip), key, explore)

    def update(state: State, hyperparams: Hyperparams, batch: Batch, key: Key) -> tuple[State, Metrics]:
        if isinstance(batch, Rollout):
            rollout = cast(Rollout[Array], batch)
            return algorithm.update(
                state, hyperparams, rollout._replace(transitions=scaled(state, rollout.transitions)), key
            )
        return algorithm.update(state, hyperparams, scaled(state, batch), key)

    def scaled(state: State, batch: Any) -> Transition[Array]:
        """Transitions [..., *shape] of any number of leading axes."""

        def scale(obs: Array) -> Array:
            return normalise(state.observations, obs.reshape(-1, *shape), clip).reshape(obs.shape)

        return batch._replace(obs=scale(batch.obs), next_obs=scale(batch.next_obs))

    layout = algorithm.layout
    return algorithm._replace(
        init=init,
        act=act,
        update=update,
        layout=layout._replace(
            statistics=(*layout.statistics, STATISTICS),
            # a policy means nothing without the scale of what it sees
            policy=(*layout.policy, STATISTICS) if layout.policy else (),
        ),
    )
