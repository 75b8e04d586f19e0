"""Neural networks as pairs of pure functions. Flax is an implementation detail of this package."""

from phylon.worker.networks.actor_critic import critic_ensemble, deterministic_policy, tanh_normal_policy
from phylon.worker.networks.heads import PolicyAndValue, action_values, policy_and_value
from phylon.worker.networks.network import Network
from phylon.worker.networks.tanh_normal import TanhNormal

__all__ = [
    "Network",
    "PolicyAndValue",
    "TanhNormal",
    "action_values",
    "critic_ensemble",
    "deterministic_policy",
    "policy_and_value",
    "tanh_normal_policy",
]
