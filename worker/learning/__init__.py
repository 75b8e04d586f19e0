"""The equations of learning: one small function each, unbatched, pure; `jax.vmap` makes them batched where needed."""

from worker.learning.advantages import generalised_advantages, normalised
from worker.learning.gradients import clip_by_global_norm
from worker.learning.maximum_entropy import soft_policy_loss, soft_q_target, temperature_loss
from worker.learning.optimiser import adam_init, adam_step
from worker.learning.policy_gradients import deterministic_policy_gradient_loss
from worker.learning.proximal import clipped_surrogate_loss, clipped_value_loss, value_loss
from worker.learning.q_learning import double_q_learning_target, huber, linear_schedule, q_learning_target
from worker.learning.targets import polyak_average, smoothed_target_action
from worker.learning.value_learning import clipped_double_q_target, squared_errors

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
