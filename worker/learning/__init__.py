"""The equations of learning: one small function each, unbatched, pure; `jax.vmap` makes them batched where needed."""

from phylon.worker.learning.actor_critic import (
    clipped_double_q_target,
    deterministic_policy_gradient_loss,
    smoothed_target_action,
    squared_errors,
)
from phylon.worker.learning.maximum_entropy import soft_policy_loss, soft_q_target, temperature_loss
from phylon.worker.learning.optimiser import adam_init, adam_step, clip_by_global_norm, polyak_average
from phylon.worker.learning.policy_gradients import (
    clipped_surrogate_loss,
    clipped_value_loss,
    generalised_advantages,
    normalised,
    value_loss,
)
from phylon.worker.learning.q_learning import double_q_learning_target, huber, linear_schedule, q_learning_target

__all__ = [
    "adam_init",
    "adam_step",
    "clip_by_global_norm",
    "clipped_double_q_target",
    "clipped_surrogate_loss",
    "clipped_value_loss",
    "deterministic_policy_gradient_loss",
    "double_q_learning_target",
    "generalised_advantages",
    "huber",
    "linear_schedule",
    "normalised",
    "polyak_average",
    "q_learning_target",
    "smoothed_target_action",
    "soft_policy_loss",
    "soft_q_target",
    "squared_errors",
    "temperature_loss",
    "value_loss",
]
