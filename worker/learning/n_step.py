"""n-step returns (Sutton 1988; Hessel et al. 2018): the rewards of several steps, and what follows counts from there.

Nothing corrects for the policy having changed since, and SAC's entropy of the steps in between is left out, as in the
usual implementations.
"""

import jax.numpy as jnp

from phylon.worker.core.types import Array, NStepTransition, Transition


def n_step_return(r: Array, discount: Array) -> Array:
    """The discounted sum of rewards [n], 0 for steps that an episode does not have any more."""
    return jnp.sum(jnp.power(discount, jnp.arange(len(r), dtype=jnp.float32)) * r)


def as_transition(batch: NStepTransition[Array], discount: Array) -> Transition[Array]:
    """One row as a single transition: an update that bootstraps it with `discount` does so with discount^steps."""
    later = jnp.power(discount, batch.steps - 1)
    return Transition(
        obs=batch.obs,
        action=batch.action,
        reward=n_step_return(batch.reward, discount),
        terminated=1 - (1 - batch.terminated) * later,
        next_obs=batch.next_obs,
    )
