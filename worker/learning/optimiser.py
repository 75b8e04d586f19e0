"""How weights move: Adam, gradient clipping and target networks, with every rate and limit as data.

A rate that is data can differ between members and change during a run without compiling anything.
"""

import jax
import jax.numpy as jnp
import optax

from phylon.worker.core.types import Array, Params

OptimiserState = optax.OptState


def adam_init(params: Params) -> OptimiserState:
    return optax.scale_by_adam().init(params)


def adam_step(
    params: Params, gradients: Params, state: OptimiserState, learning_rate: Array, epsilon: float = 1e-8
) -> tuple[Params, OptimiserState]:
    """Kingma & Ba 2015, algorithm 1, with the authors' constants unless `epsilon` is given.

    Optax computes the direction only, because its own learning rate would be a constant of the program.
    """
    directions, state = optax.scale_by_adam(eps=epsilon).update(gradients, state)
    return jax.tree.map(lambda weight, direction: weight - learning_rate * direction, params, directions), state


def clip_by_global_norm(gradients: Params, limit: Array) -> tuple[Params, Array]:
    """Gradients scaled down to a joint norm of at most `limit` (Pascanu et al. 2013), and their norm before that."""
    norm = optax.tree.norm(gradients)
    factor = jnp.minimum(1, limit / jnp.maximum(norm, 1e-12))
    return jax.tree.map(lambda gradient: factor * gradient, gradients), norm


def polyak_average(target: Params, online: Params, rate: Array) -> Params:
    """The target network moved towards the online weights by the share `rate`; 1 copies them."""
    return jax.tree.map(lambda old, new: (1 - rate) * old + rate * new, target, online)
