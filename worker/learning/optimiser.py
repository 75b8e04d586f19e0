"""Adam with the learning rate as data: optax gives the direction, and a changed rate is just another number."""

import jax
import optax

from phylon.worker.core.types import Array, Params

OptimiserState = optax.OptState


def adam_init(params: Params) -> OptimiserState:
    return optax.scale_by_adam().init(params)


def adam_step(
    params: Params, gradients: Params, state: OptimiserState, learning_rate: Array, epsilon: float = 1e-8
) -> tuple[Params, OptimiserState]:
    """Kingma & Ba 2015, algorithm 1, with the authors' constants unless `epsilon` says otherwise."""
    directions, state = optax.scale_by_adam(eps=epsilon).update(gradients, state)
    return jax.tree.map(lambda weight, direction: weight - learning_rate * direction, params, directions), state
