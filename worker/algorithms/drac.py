"""Data-regularised Actor-Critic (Raileanu et al. 2021, arXiv 2006.12862): PPO, and for each minibatch a further loss

    augmentation_coefficient * (policy change + value change)
        policy change:  -log pi(a | augmented s), with a drawn from pi(. | s)       (equation 3)
        value change:   half of (V(s) - V(augmented s))², V(s) being held fixed     (equation 4)

Members differ in how they augment: the name of the augmentation is one of their hyper-parameters.

Metrics: those of PPO, and `policy_change`, `value_change`.
"""

import jax
import jax.numpy as jnp

from phylon.spec.algorithms.drac import DrACSpec
from phylon.worker.algorithms.ppo import PenaltyFn, PPONetwork, ppo_network, proximal
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.images import as_floats
from phylon.worker.core.types import Algorithm, Array, EnvironmentInfo, Hyperparams, Key, Metrics, Params
from phylon.worker.learning import value_loss
from phylon.worker.learning.augmentations import augment
from phylon.worker.networks import PolicyAndValue


def drac(spec: DrACSpec, info: EnvironmentInfo) -> Algorithm:
    require_colour_images(info)
    network = ppo_network(spec, info)
    return proximal(spec, info, network, data_penalty(network))


def data_penalty(network: PPONetwork) -> PenaltyFn:
    def penalty(
        params: Params, hyperparams: Hyperparams, obs: Array, said: PolicyAndValue, key: Key
    ) -> tuple[Array, Metrics]:
        augment_key, action_key = jax.random.split(key)
        augmented = network.apply(params, augment(hyperparams["augmentation"], augment_key, as_floats(obs)))
        action = jax.lax.stop_gradient(said.policy.sample(action_key))
        policy_change = -jnp.mean(augmented.policy.log_prob(action))
        value_change = jnp.mean(value_loss(augmented.value, jax.lax.stop_gradient(said.value)))
        total = hyperparams["augmentation_coefficient"] * (policy_change + value_change)
        return total, {"policy_change": policy_change, "value_change": value_change}

    return penalty


def require_colour_images(info: EnvironmentInfo) -> None:
    """Augmentations know colours, and turn images by right angles."""
    shape = info.observation_shape
    if len(shape) != 3 or shape[0] != shape[1] or shape[2] != 3:
        raise UnsupportedEnvironment(
            f"drac augments square colour images [side, side, 3], not observations of shape {shape}",
            "choose an environment with such images, e.g. of the Procgen benchmark, or use ppo",
        )
