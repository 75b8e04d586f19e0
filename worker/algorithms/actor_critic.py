"""What the actor-critic algorithms for continuous actions share."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from phylon.worker.core.types import ActFn, Array, Hyperparams, Key, Metrics, Params, Transition
from phylon.worker.learning import (
    adam_step,
    clipped_double_q_target,
    deterministic_policy_gradient_loss,
    squared_errors,
)
from phylon.worker.learning.optimiser import OptimiserState
from phylon.worker.networks import Network


class ActorCritic(NamedTuple):
    policy: Network
    """Deterministic: observation -> action."""
    critic: Network
    """(observation, action) -> values [critics, ...]."""


def pessimistic_targets(
    critic: Network, params: Params, batch: Transition[Array], next_action: Array, discount: Array
) -> Array:
    """What critics should say of the batch, by the target critics' values of what comes next: y [batch]."""
    q_t = critic.apply(params, batch.next_obs, next_action)  # [critics, batch]
    discount_t = discount * (1 - batch.terminated)
    return jax.vmap(clipped_double_q_target, in_axes=(1, 0, 0))(q_t, batch.reward, discount_t)


def critic_loss(critic: Network, params: Params, batch: Transition[Array], targets: Array) -> tuple[Array, Array]:
    """Mean loss over the batch, and the critics' mean value."""
    q_tm1 = critic.apply(params, batch.obs, batch.action)  # [critics, batch]
    losses = jax.vmap(squared_errors, in_axes=(1, 0))(q_tm1, targets)
    return jnp.mean(losses), jnp.mean(q_tm1)


def fit_critic(
    critic: Network,
    params: Params,
    optimiser: OptimiserState,
    batch: Transition[Array],
    targets: Array,
    learning_rate: Array,
) -> tuple[Params, OptimiserState, Metrics]:
    """One Adam step of every critic towards the targets [batch]."""
    gradient = jax.value_and_grad(critic_loss, argnums=1, has_aux=True)
    (loss, q_value), gradients = gradient(critic, params, batch, targets)
    params, optimiser = adam_step(params, gradients, optimiser, learning_rate)
    return params, optimiser, {"critic_loss": loss, "q_value": q_value}


def deterministic_policy_loss(networks: ActorCritic, policy: Params, critic: Params, obs: Array) -> Array:
    """Mean loss over the batch's observations, by the first critic alone."""

    def first_critic(obs: Array, action: Array) -> Array:
        return networks.critic.apply(jax.tree.map(lambda weights: weights[:1], critic), obs, action)[0]

    losses = deterministic_policy_gradient_loss(lambda obs: networks.policy.apply(policy, obs), first_critic, obs)
    return jnp.mean(losses)


def acting_with_noise(policy: Network) -> ActFn:
    """A deterministic policy acts; to explore, Gaussian noise is added. For every state that has a `policy`."""

    def act(state: Any, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array:
        action = policy.apply(state.policy, obs)
        if explore:
            action += hyperparams["exploration_noise"] * jax.random.normal(key, action.shape)
        return jnp.clip(action, -1, 1)

    return act
