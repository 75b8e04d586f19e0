"""The joint policy step of DvD (Parker-Holder et al. 2020, arXiv 2002.00632) on top of TD3.

    loss of all policies = (1 - diversity) * sum of their deterministic policy gradient losses
                           - diversity * log-determinant of the kernel between their behaviours

A policy's behaviour is its actions on the observations of all learners' batches. The losses are summed, as in the
paper: where the coefficient is 0 every policy makes exactly TD3's own step, whatever the size of the population.
"""

from functools import partial

import jax
import jax.numpy as jnp

from phylon.spec.methods.dvd import DIVERSITY, DvDSpec
from phylon.worker.algorithms.actor_critic import ActorCritic, deterministic_policy_loss
from phylon.worker.algorithms.shared_critic import Numbers
from phylon.worker.algorithms.shared_td3 import PolicySteps
from phylon.worker.algorithms.td3 import TD3State
from phylon.worker.core.types import Array, Metrics, Params, Transition
from phylon.worker.learning import adam_step
from phylon.worker.learning.diversity import log_determinant


def diverse_policies(method: DvDSpec) -> PolicySteps:
    def step(
        networks: ActorCritic, state: TD3State, numbers: Numbers, batch: Transition[Array]
    ) -> tuple[TD3State, Metrics]:
        weight = numbers.values[DIVERSITY]
        everywhere = batch.obs.reshape(-1, *batch.obs.shape[2:])  # [learners * batch, ...]

        def loss(policies: Params) -> tuple[Array, tuple[Array, Array]]:
            own = jax.vmap(partial(deterministic_policy_loss, networks), in_axes=(0, None, 0))
            losses = own(policies, state.critic, batch.obs)
            actions = jax.vmap(networks.policy.apply, in_axes=(0, None))(policies, everywhere)
            volume = log_determinant(actions.reshape(len(losses), -1), method.length_scale, method.jitter)
            return (1 - weight) * jnp.sum(losses) - weight * volume, (losses, volume)

        gradients, (losses, volume) = jax.grad(loss, has_aux=True)(state.policy)
        policy, optimiser = jax.vmap(adam_step)(
            state.policy, gradients, state.policy_optimiser, numbers.values["policy_learning_rate"]
        )
        moved = state._replace(
            policy=policy,
            policy_optimiser=optimiser,
            policy_loss=losses,
            critic_steps=jnp.zeros_like(state.critic_steps),
        )
        return moved, {"log_determinant": volume}

    return PolicySteps(step, ("log_determinant",))
