"""Soft Actor-Critic (Haarnoja et al. 2018, arXiv 1801.01290 and 1812.05905), with the order of steps of SR-SAC's code.

    for each batch (s, a, r, terminated, s'):
        a' ~ policy(s')
        v  = min over target critics of Q(s', a') - temperature * log p(a')
        y  = reward_scale * r + discount * (1 - terminated) * v
        every critic:    one Adam step on (Q(s, a) - y)^2
        target critics:  move towards the critics by the share `target_rate`
        policy:          one Adam step on temperature * log p(a) - min over the new critics of Q(s, a), a ~ policy(s)
        temperature:     one Adam step towards a policy whose entropy is -target_entropy_scale * size of the action

A fixed temperature is the hyper-parameter `initial_temperature`, read at each update. Metrics: `critic_loss`,
`policy_loss`, `q_value`, `entropy` of the policy, and `temperature`.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec import SACSpec
from phylon.worker.algorithms.actor_critic import fit_critic
from phylon.worker.core.types import Algorithm, Array, EnvironmentInfo, Hyperparams, Key, Metrics, Params, Transition
from phylon.worker.learning import (
    adam_init,
    adam_step,
    polyak_average,
    soft_policy_loss,
    soft_q_target,
    temperature_loss,
)
from phylon.worker.learning.optimiser import OptimiserState
from phylon.worker.learning.reward_scale import Moments
from phylon.worker.networks import Network, TanhNormal, critic_ensemble, tanh_normal_policy


class SACState(NamedTuple):
    policy: Params
    policy_optimiser: OptimiserState
    critic: Params
    target_critic: Params
    critic_optimiser: OptimiserState
    log_temperature: Params
    """A scalar; None, a tree without leaves, where the temperature is fixed."""
    temperature_optimiser: Params
    observations: Moments | None = None
    """Running statistics of what the member saw, where observations are normalised."""


class SACNetworks(NamedTuple):
    policy: Network[TanhNormal]
    critic: Network


def sac(spec: SACSpec, info: EnvironmentInfo) -> Algorithm:
    networks = SACNetworks(
        policy=tanh_normal_policy(spec.network, info),
        critic=critic_ensemble(spec.network, info, spec.critics),
    )
    is_adaptive = spec.temperature == "adaptive"

    def init(key: Key, hyperparams: Hyperparams) -> SACState:
        return init_state(networks, key, jnp.log(hyperparams["initial_temperature"]) if is_adaptive else None)

    def act(state: SACState, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array:
        del hyperparams  # the policy alone says how much to explore
        distribution = networks.policy.apply(state.policy, obs)
        return distribution.sample(key)[0] if explore else distribution.mode()

    def update(
        state: SACState, hyperparams: Hyperparams, batch: Transition[Array], key: Key
    ) -> tuple[SACState, Metrics]:
        target_key, policy_key = jax.random.split(key)
        temperature = current_temperature(state, hyperparams)
        state, metrics = critic_step(networks, state, hyperparams, batch, target_key)
        state = target_step(state, hyperparams)
        state, policy_metrics = policy_step(networks, state, hyperparams, batch, policy_key)
        if is_adaptive:
            state = temperature_step(state, hyperparams, policy_metrics["entropy"], info.action_size)
        return state, metrics | policy_metrics | {"temperature": temperature}

    return Algorithm(init, act, update)


def init_state(networks: SACNetworks, key: Key, log_temperature: Array | None) -> SACState:
    policy_key, critic_key = jax.random.split(key)
    policy, critic = networks.policy.init(policy_key), networks.critic.init(critic_key)
    return SACState(
        policy=policy,
        policy_optimiser=adam_init(policy),
        critic=critic,
        target_critic=critic,
        critic_optimiser=adam_init(critic),
        log_temperature=log_temperature,
        temperature_optimiser=None if log_temperature is None else adam_init(log_temperature),
    )


def current_temperature(state: SACState, hyperparams: Hyperparams) -> Array:
    return hyperparams["initial_temperature"] if state.log_temperature is None else jnp.exp(state.log_temperature)


def critic_targets(
    networks: SACNetworks, state: SACState, hyperparams: Hyperparams, batch: Transition[Array], key: Key
) -> Array:
    """What the critics should say of the batch: y [batch]."""
    action, log_prob = networks.policy.apply(state.policy, batch.next_obs).sample(key)
    q_t = networks.critic.apply(state.target_critic, batch.next_obs, action)  # [critics, batch]
    reward = hyperparams["reward_scale"] * batch.reward
    discount = hyperparams["discount"] * (1 - batch.terminated)
    return jax.vmap(soft_q_target, in_axes=(1, 0, None, 0, 0))(
        q_t, log_prob, current_temperature(state, hyperparams), reward, discount
    )


def critic_step(
    networks: SACNetworks, state: SACState, hyperparams: Hyperparams, batch: Transition[Array], key: Key
) -> tuple[SACState, Metrics]:
    targets = critic_targets(networks, state, hyperparams, batch, key)
    critic, optimiser, metrics = fit_critic(
        networks.critic, state.critic, state.critic_optimiser, batch, targets, hyperparams["critic_learning_rate"]
    )
    return state._replace(critic=critic, critic_optimiser=optimiser), metrics


def target_step(state: SACState, hyperparams: Hyperparams) -> SACState:
    return state._replace(target_critic=polyak_average(state.target_critic, state.critic, hyperparams["target_rate"]))


def policy_loss(
    networks: SACNetworks, policy: Params, critic: Params, obs: Array, temperature: Array, key: Key
) -> tuple[Array, Array]:
    """Mean loss over the batch's observations, and the policy's entropy, estimated by the same actions."""
    action, log_prob = networks.policy.apply(policy, obs).sample(key)
    q = networks.critic.apply(critic, obs, action)  # [critics, batch]
    losses = jax.vmap(soft_policy_loss, in_axes=(1, 0, None))(q, log_prob, temperature)
    return jnp.mean(losses), -jnp.mean(log_prob)


def policy_step(
    networks: SACNetworks, state: SACState, hyperparams: Hyperparams, batch: Transition[Array], key: Key
) -> tuple[SACState, Metrics]:
    gradient = jax.value_and_grad(policy_loss, argnums=1, has_aux=True)
    (loss, entropy), gradients = gradient(
        networks, state.policy, state.critic, batch.obs, current_temperature(state, hyperparams), key
    )
    policy, optimiser = adam_step(state.policy, gradients, state.policy_optimiser, hyperparams["policy_learning_rate"])
    return state._replace(policy=policy, policy_optimiser=optimiser), {"policy_loss": loss, "entropy": entropy}


def temperature_step(state: SACState, hyperparams: Hyperparams, entropy: Array, action_size: int) -> SACState:
    target_entropy = -hyperparams["target_entropy_scale"] * action_size
    gradient = jax.grad(temperature_loss)(state.log_temperature, entropy, target_entropy)
    log_temperature, optimiser = adam_step(
        state.log_temperature, gradient, state.temperature_optimiser, hyperparams["temperature_learning_rate"]
    )
    return state._replace(log_temperature=log_temperature, temperature_optimiser=optimiser)
