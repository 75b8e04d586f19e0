"""Deep Q-network (Mnih et al. 2015), with double (van Hasselt et al. 2016) and dueling (Wang et al. 2016) as options.

    for each batch (s, a, r, terminated, s'):
        y = r + discount * (1 - terminated) * max over a' of Q_target(s', a')
            (double: a' is the best in the eyes of Q instead)
        one Adam step on huber(Q(s, a) - y)
        every `target_period` updates: the target moves towards Q by the share `target_rate`

A member acts at random with a probability that falls from `initial_epsilon` to `final_epsilon` over `epsilon_decay`
updates of its own. The count is part of its state: it stands still while the replay warms up, a copied member takes up
the count of its parent, and a number that a method has changed counts from the next action on.

Metrics: `critic_loss`, `q_value` (mean over the batch's actions), `epsilon`.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec.algorithms.dqn import DQNSpec
from phylon.worker.core.types import Algorithm, Array, EnvironmentInfo, Hyperparams, Key, Metrics, Params, Transition
from phylon.worker.learning import (
    adam_init,
    adam_step,
    double_q_learning_target,
    huber,
    linear_schedule,
    polyak_average,
    q_learning_target,
)
from phylon.worker.learning.optimiser import OptimiserState
from phylon.worker.learning.reward_scale import Moments
from phylon.worker.networks import Network, action_values


class DQNState(NamedTuple):
    critic: Params
    target_critic: Params
    critic_optimiser: OptimiserState
    updates: Array
    """int32: updates since this line of members began."""
    target_age: Array
    """int32: updates since the target last moved."""
    observations: Moments | None = None
    """Running statistics of what the member saw, where observations are normalised."""


def dqn(spec: DQNSpec, info: EnvironmentInfo) -> Algorithm:
    network = action_values(spec.network, info, spec.dueling)

    def init(key: Key, hyperparams: Hyperparams) -> DQNState:
        del hyperparams  # no weight of DQN starts from one
        return init_state(network, key)

    def act(state: DQNState, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array:
        best = jnp.argmax(network.apply(state.critic, obs), axis=-1).astype(jnp.int32)
        if not explore:
            return best
        coin_key, action_key = jax.random.split(key)
        is_random = jax.random.uniform(coin_key, best.shape) < epsilon(state, hyperparams)
        return jnp.where(is_random, jax.random.randint(action_key, best.shape, 0, info.action_size, jnp.int32), best)

    def update(
        state: DQNState, hyperparams: Hyperparams, batch: Transition[Array], key: Key
    ) -> tuple[DQNState, Metrics]:
        del key  # nothing is drawn
        metrics = {"epsilon": epsilon(state, hyperparams)}
        targets = critic_targets(network, state, hyperparams, batch, spec.double)
        (loss, q_value), gradients = jax.value_and_grad(critic_loss, argnums=1, has_aux=True)(
            network, state.critic, batch, targets, hyperparams["huber_delta"]
        )
        critic, optimiser = adam_step(state.critic, gradients, state.critic_optimiser, hyperparams["learning_rate"])
        state = state._replace(
            critic=critic,
            critic_optimiser=optimiser,
            updates=state.updates + 1,
            target_age=state.target_age + 1,
        )
        state = jax.lax.cond(
            state.target_age >= hyperparams["target_period"],
            lambda state: target_step(state, hyperparams),
            lambda state: state,
            state,
        )
        return state, metrics | {"critic_loss": loss, "q_value": q_value}

    return Algorithm(init, act, update)


def init_state(network: Network, key: Key) -> DQNState:
    critic = network.init(key)
    return DQNState(
        critic=critic,
        target_critic=critic,
        critic_optimiser=adam_init(critic),
        updates=jnp.zeros((), jnp.int32),
        target_age=jnp.zeros((), jnp.int32),
    )


def epsilon(state: DQNState, hyperparams: Hyperparams) -> Array:
    """The probability that the member's next action is random."""
    return linear_schedule(
        hyperparams["initial_epsilon"], hyperparams["final_epsilon"], hyperparams["epsilon_decay"], state.updates
    )


def critic_targets(
    network: Network, state: DQNState, hyperparams: Hyperparams, batch: Transition[Array], double: bool
) -> Array:
    """What the network should say of the batch's actions: y [batch]."""
    q_t = network.apply(state.target_critic, batch.next_obs)  # [batch, actions]
    discount = hyperparams["discount"] * (1 - batch.terminated)
    if not double:
        return jax.vmap(q_learning_target)(q_t, batch.reward, discount)
    q_t_online = network.apply(state.critic, batch.next_obs)
    return jax.vmap(double_q_learning_target)(q_t, q_t_online, batch.reward, discount)


def critic_loss(
    network: Network, critic: Params, batch: Transition[Array], targets: Array, delta: Array
) -> tuple[Array, Array]:
    """Mean loss over the batch, and the mean value of its actions."""
    q_tm1 = jnp.take_along_axis(network.apply(critic, batch.obs), batch.action[:, None], axis=-1)[:, 0]
    return jnp.mean(huber(q_tm1 - targets, delta)), jnp.mean(q_tm1)


def target_step(state: DQNState, hyperparams: Hyperparams) -> DQNState:
    return state._replace(
        target_critic=polyak_average(state.target_critic, state.critic, hyperparams["target_rate"]),
        target_age=jnp.zeros_like(state.target_age),
    )
