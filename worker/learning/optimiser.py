"""Adam with the learning rate as data: optax gives the direction, and a changed rate is just another number."""

import jax
import optax

from worker.core.types import Array, Params

OptimiserState = optax.OptState

_ADAM = optax.scale_by_adam()


def adam_init(params: Params) -> OptimiserState:
    return _ADAM.init(params)


def adam_step(
    params: Params, gradients: Params, state: OptimiserState, learning_rate: Array
) -> tuple[Params, OptimiserState]:
    """Kingma & Ba 2015, algorithm 1, with the authors' constants."""
    directions, state = _ADAM.update(gradients, state)
    return jax.tree.map(lambda weight, direction: weight - learning_rate * direction, params, directions), state
