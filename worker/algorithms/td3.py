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
from phylon.worker.algorithms.actor_critic import (
    ActorCritic,
    acting_with_noise,
    deterministic_policy_loss,
    fit_critic,
    pessimistic_targets,
)
from phylon.worker.core.types import Algorithm, Array, EnvironmentInfo, Hyperparams, Key, Metrics, Params, Transition
from phylon.worker.learning import adam_init, adam_step, polyak_average, smoothed_target_action
from phylon.worker.learning.optimiser import OptimiserState
from phylon.worker.learning.reward_scale import Moments
from phylon.worker.networks import critic_ensemble, deterministic_policy


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
    observations: Moments | None = None
    """Running statistics of what the member saw, where observations are normalised."""


def td3(spec: TD3Spec, info: EnvironmentInfo) -> Algorithm:
    networks = ActorCritic(
        policy=deterministic_policy(spec.network, info),
        critic=critic_ensemble(spec.network, info, spec.critics),
    )

    def init(key: Key, hyperparams: Hyperparams) -> TD3State:
        del hyperparams  # no weight of TD3 starts from one
        return init_state(networks, key)

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

    return Algorithm(init, acting_with_noise(networks.policy), update)


def init_state(networks: ActorCritic, key: Key) -> TD3State:
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
    networks: ActorCritic, state: TD3State, hyperparams: Hyperparams, batch: Transition[Array], key: Key
) -> Array:
    """What the critics should say of the batch: y [batch]."""
    action = networks.policy.apply(state.target_policy, batch.next_obs)
    noise = jax.random.normal(key, action.shape)
    action = smoothed_target_action(action, noise, hyperparams["target_noise"], hyperparams["target_noise_clip"])
    return pessimistic_targets(networks.critic, state.target_critic, batch, action, hyperparams["discount"])


def critic_step(
    networks: ActorCritic, state: TD3State, hyperparams: Hyperparams, batch: Transition[Array], key: Key
) -> tuple[TD3State, Metrics]:
    targets = critic_targets(networks, state, hyperparams, batch, key)
    critic, optimiser, metrics = fit_critic(
        networks.critic, state.critic, state.critic_optimiser, batch, targets, hyperparams["critic_learning_rate"]
    )
    return state._replace(critic=critic, critic_optimiser=optimiser, critic_steps=state.critic_steps + 1), metrics


def policy_step(networks: ActorCritic, state: TD3State, hyperparams: Hyperparams, batch: Transition[Array]) -> TD3State:
    gradient = jax.value_and_grad(deterministic_policy_loss, argnums=1)
    loss, gradients = gradient(networks, state.policy, state.critic, batch.obs)
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
