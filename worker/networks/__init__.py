"""Neural networks as pairs of pure functions. Flax is an implementation detail of this package."""

from worker.networks.actor_critic import critic_ensemble, deterministic_policy
from worker.networks.network import Network

__all__ = ["Network", "critic_ensemble", "deterministic_policy"]
