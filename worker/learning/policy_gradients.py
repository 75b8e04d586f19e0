"""Losses whose descent improves a policy."""

from collections.abc import Callable

from phylon.worker.core.types import Array


def deterministic_policy_gradient_loss(
    policy: Callable[[Array], Array], critic: Callable[[Array, Array], Array], obs: Array
) -> Array:
    """Minus the critic's value of the policy's action (Silver et al. 2014; Lillicrap et al. 2015, equation 6).

    policy: observation -> action; critic: (observation, action) -> scalar.
    """
    return -critic(obs, policy(obs))
