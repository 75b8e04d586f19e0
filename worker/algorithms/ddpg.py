"""Deep Deterministic Policy Gradient (Lillicrap et al. 2015, arXiv 1509.02971), in the form of SR-DDPG's code.

    for each batch (s, a, r, terminated, s'):
        y  = r + discount * (1 - terminated) * target_critic(s', target_policy(s'))
        critic:    one Adam step on (Q(s, a) - y)^2
        policy:    one Adam step on -Q(s, policy(s)), by the new critic
        targets:   move towards policy and critic by the share `target_rate`

Exploration is plain Gaussian noise; the paper's correlated noise brings nothing and no code that we follow has it.
"""

from typing import NamedTuple

import jax

from phylon.spec import DDPGSpec
from phylon.worker.algorithms.actor_critic import (
    ActorCritic,
    acting_with_noise,
    deterministic_policy_loss,
    fit_critic,
    pessimistic_targets,
)
from phylon.worker.core.types import Algorithm, Array, EnvironmentInfo, Hyperparams, Key, Metrics, Params, Transition
from phylon.worker.learning import adam_init, adam_step, polyak_average
from phylon.worker.learning.optimiser import OptimiserState
from phylon.worker.learning.reward_scale import Moments
from phylon.worker.networks import critic_ensemble, deterministic_policy


class DDPGState(NamedTuple):
    policy: Params
    target_policy: Params
    policy_optimiser: OptimiserState
    critic: Params
    target_critic: Params
    critic_optimiser: OptimiserState
    observations: Moments | None = None
    """Running statistics of what the member saw, where observations are normalised."""


def ddpg(spec: DDPGSpec, info: EnvironmentInfo) -> Algorithm:
    networks = ActorCritic(deterministic_policy(spec.network, info), critic_ensemble(spec.network, info, critics=1))

    def init(key: Key, hyperparams: Hyperparams) -> DDPGState:
        del hyperparams  # no weight of DDPG starts from one
        return init_state(networks, key)

    def update(
        state: DDPGState, hyperparams: Hyperparams, batch: Transition[Array], key: Key
    ) -> tuple[DDPGState, Metrics]:
        del key  # nothing is random but acting
        state, metrics = critic_step(networks, state, hyperparams, batch)
        state, loss = policy_step(networks, state, hyperparams, batch)
        return target_step(state, hyperparams), metrics | {"policy_loss": loss}

    return Algorithm(init, acting_with_noise(networks.policy), update)


def init_state(networks: ActorCritic, key: Key) -> DDPGState:
    policy_key, critic_key = jax.random.split(key)
    policy, critic = networks.policy.init(policy_key), networks.critic.init(critic_key)
    return DDPGState(
        policy=policy,
        target_policy=policy,
        policy_optimiser=adam_init(policy),
        critic=critic,
        target_critic=critic,
        critic_optimiser=adam_init(critic),
    )


def critic_step(
    networks: ActorCritic, state: DDPGState, hyperparams: Hyperparams, batch: Transition[Array]
) -> tuple[DDPGState, Metrics]:
    action = networks.policy.apply(state.target_policy, batch.next_obs)
    targets = pessimistic_targets(networks.critic, state.target_critic, batch, action, hyperparams["discount"])
    critic, optimiser, metrics = fit_critic(
        networks.critic, state.critic, state.critic_optimiser, batch, targets, hyperparams["critic_learning_rate"]
    )
    return state._replace(critic=critic, critic_optimiser=optimiser), metrics


def policy_step(
    networks: ActorCritic, state: DDPGState, hyperparams: Hyperparams, batch: Transition[Array]
) -> tuple[DDPGState, Array]:
    gradient = jax.value_and_grad(deterministic_policy_loss, argnums=1)
    loss, gradients = gradient(networks, state.policy, state.critic, batch.obs)
    policy, optimiser = adam_step(state.policy, gradients, state.policy_optimiser, hyperparams["policy_learning_rate"])
    return state._replace(policy=policy, policy_optimiser=optimiser), loss


def target_step(state: DDPGState, hyperparams: Hyperparams) -> DDPGState:
    rate = hyperparams["target_rate"]
    return state._replace(
        target_policy=polyak_average(state.target_policy, state.policy, rate),
        target_critic=polyak_average(state.target_critic, state.critic, rate),
    )
