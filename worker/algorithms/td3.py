"""Twin Delayed DDPG (Fujimoto et al. 2018, arXiv 1802.09477), as in the authors' code.

    for each batch (s, a, r, terminated, s'):
        a' = clip(target_policy(s') + clipped noise)                one noise for all critics
        y  = r + discount * (1 - terminated) * min over target critics of Q(s', a')
        every critic:  one Adam step on (Q(s, a) - y)^2
        every `policy_delay` critic steps:
            policy:    one Adam step on -Q_0(s, policy(s))
            targets:   move towards policy and critics by the share `target_rate`

The steps are functions of their own, so that methods which change training itself (a shared critic, a joint loss) can
put them together differently.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec import TD3Spec
from worker.core.types import Algorithm, Array, EnvironmentInfo, Hyperparams, Key, Metrics, Params, Transition
from worker.learning import (
    adam_init,
    adam_step,
    clipped_double_q_target,
    deterministic_policy_gradient_loss,
    polyak_average,
    smoothed_target_action,
    squared_errors,
)
from worker.learning.optimiser import OptimiserState
from worker.networks import Network, critic_ensemble, deterministic_policy


class TD3State(NamedTuple):
    policy: Params
    target_policy: Params
    policy_optimiser: OptimiserState
    critic: Params
    target_critic: Params
    critic_optimiser: OptimiserState
    critic_steps: Array
    """int32: critic steps since the last policy step."""
    policy_loss: Array
    """Loss at the last policy step: what the metrics show at the steps in between."""


class TD3Networks(NamedTuple):
    policy: Network
    critic: Network


def td3(spec: TD3Spec, info: EnvironmentInfo) -> Algorithm:
    networks = TD3Networks(
        policy=deterministic_policy(spec.network, info),
        critic=critic_ensemble(spec.network, info, spec.critics),
    )

    def init(key: Key, hyperparams: Hyperparams) -> TD3State:
        del hyperparams  # no weight of TD3 starts from one
        return init_state(networks, key)

    def act(state: TD3State, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array:
        action = networks.policy.apply(state.policy, obs)
        if explore:
            action += hyperparams["exploration_noise"] * jax.random.normal(key, action.shape)
        return jnp.clip(action, -1, 1)

    def update(
        state: TD3State, hyperparams: Hyperparams, batch: Transition[Array], key: Key
    ) -> tuple[TD3State, Metrics]:
        state, metrics = critic_step(networks, state, hyperparams, batch, key)
        # a branch, not a select: where members are mapped one by one, the policy step is truly skipped
        state = jax.lax.cond(
            state.critic_steps >= hyperparams["policy_delay"],
            lambda state: target_step(policy_step(networks, state, hyperparams, batch), hyperparams),
            lambda state: state,
            state,
        )
        return state, metrics | {"policy_loss": state.policy_loss}

    return Algorithm(init, act, update)


def init_state(networks: TD3Networks, key: Key) -> TD3State:
    policy_key, critic_key = jax.random.split(key)
    policy, critic = networks.policy.init(policy_key), networks.critic.init(critic_key)
    return TD3State(
        policy=policy,
        target_policy=policy,
        policy_optimiser=adam_init(policy),
        critic=critic,
        target_critic=critic,
        critic_optimiser=adam_init(critic),
        critic_steps=jnp.zeros((), jnp.int32),
        policy_loss=jnp.zeros((), jnp.float32),
    )


def critic_targets(
    networks: TD3Networks, state: TD3State, hyperparams: Hyperparams, batch: Transition[Array], key: Key
) -> Array:
    """What the critics should say of the batch: y [batch]."""
    action = networks.policy.apply(state.target_policy, batch.next_obs)
    noise = jax.random.normal(key, action.shape)
    action = smoothed_target_action(action, noise, hyperparams["target_noise"], hyperparams["target_noise_clip"])
    q_t = networks.critic.apply(state.target_critic, batch.next_obs, action)  # [critics, batch]
    discount = hyperparams["discount"] * (1 - batch.terminated)
    return jax.vmap(clipped_double_q_target, in_axes=(1, 0, 0))(q_t, batch.reward, discount)


def critic_loss(networks: TD3Networks, critic: Params, batch: Transition[Array], targets: Array) -> tuple[Array, Array]:
    """Mean loss over the batch, and the critics' mean value."""
    q_tm1 = networks.critic.apply(critic, batch.obs, batch.action)  # [critics, batch]
    losses = jax.vmap(squared_errors, in_axes=(1, 0))(q_tm1, targets)
    return jnp.mean(losses), jnp.mean(q_tm1)


def policy_loss(networks: TD3Networks, policy: Params, critic: Params, obs: Array) -> Array:
    """Mean loss over the batch's observations, by the first critic alone."""

    def first_critic(obs: Array, action: Array) -> Array:
        return networks.critic.apply(jax.tree.map(lambda weights: weights[:1], critic), obs, action)[0]

    losses = deterministic_policy_gradient_loss(lambda obs: networks.policy.apply(policy, obs), first_critic, obs)
    return jnp.mean(losses)


def critic_step(
    networks: TD3Networks, state: TD3State, hyperparams: Hyperparams, batch: Transition[Array], key: Key
) -> tuple[TD3State, Metrics]:
    targets = critic_targets(networks, state, hyperparams, batch, key)
    (loss, q_value), gradients = jax.value_and_grad(critic_loss, argnums=1, has_aux=True)(
        networks, state.critic, batch, targets
    )
    critic, optimiser = adam_step(state.critic, gradients, state.critic_optimiser, hyperparams["critic_learning_rate"])
    state = state._replace(critic=critic, critic_optimiser=optimiser, critic_steps=state.critic_steps + 1)
    return state, {"critic_loss": loss, "q_value": q_value}


def policy_step(networks: TD3Networks, state: TD3State, hyperparams: Hyperparams, batch: Transition[Array]) -> TD3State:
    loss, gradients = jax.value_and_grad(policy_loss, argnums=1)(networks, state.policy, state.critic, batch.obs)
    policy, optimiser = adam_step(state.policy, gradients, state.policy_optimiser, hyperparams["policy_learning_rate"])
    return state._replace(
        policy=policy, policy_optimiser=optimiser, policy_loss=loss, critic_steps=jnp.zeros_like(state.critic_steps)
    )


def target_step(state: TD3State, hyperparams: Hyperparams) -> TD3State:
    rate = hyperparams["target_rate"]
    return state._replace(
        target_policy=polyak_average(state.target_policy, state.policy, rate),
        target_critic=polyak_average(state.target_critic, state.critic, rate),
    )
