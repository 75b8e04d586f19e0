"""REINFORCE as the trainer runs it: three pure functions of one member. Phylon maps them over the population.

weights += learning_rate * mean over steps of (return from here on) * gradient of log pi(action | obs)
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Algorithm, Array, EnvironmentInfo, Hyperparams, Key, Metrics, Rollout
from phylon_example.reinforce import ReinforceSpec


class ReinforceState(NamedTuple):
    weights: Array
    """[observations, actions]"""


def reinforce(spec: ReinforceSpec, info: EnvironmentInfo) -> Algorithm:
    del spec  # its structure, the length of a rollout, is the training loop's business

    def init(key: Key, hyperparams: Hyperparams) -> ReinforceState:
        del key, hyperparams
        return ReinforceState(jnp.zeros((*info.observation_shape, info.action_size)))

    def act(state: ReinforceState, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array:
        del hyperparams
        logits = obs @ state.weights
        choice = jax.random.categorical(key, logits) if explore else jnp.argmax(logits, axis=-1)
        return choice.astype(jnp.int32)

    def update(
        state: ReinforceState, hyperparams: Hyperparams, batch: Rollout[Array], key: Key
    ) -> tuple[ReinforceState, Metrics]:
        del key
        steps = batch.transitions
        goes_on = (1 - steps.terminated) * (1 - batch.truncated)

        def accumulate(later: Array, step: tuple[Array, Array]) -> tuple[Array, Array]:
            reward, goes_on = step
            now = reward + hyperparams["discount"] * goes_on * later
            return now, now

        _, returns = jax.lax.scan(accumulate, jnp.zeros(steps.reward.shape[1]), (steps.reward, goes_on), reverse=True)

        def loss(weights: Array) -> Array:
            log_pi = jax.nn.log_softmax(steps.obs @ weights)
            chosen = jnp.take_along_axis(log_pi, steps.action[..., None], axis=-1)[..., 0]
            return -jnp.mean(returns * chosen)

        value, gradient = jax.value_and_grad(loss)(state.weights)
        return ReinforceState(state.weights - hyperparams["learning_rate"] * gradient), {"policy_loss": value}

    return Algorithm(init, act, update)
