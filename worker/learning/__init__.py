"""The equations of learning: one small function each, unbatched, pure; `jax.vmap` makes them batched where needed."""

from worker.learning.optimiser import adam_init, adam_step
from worker.learning.policy_gradients import deterministic_policy_gradient_loss
from worker.learning.targets import polyak_average, smoothed_target_action
from worker.learning.value_learning import clipped_double_q_target, squared_errors

__all__ = [
    "adam_init",
    "adam_step",
    "clipped_double_q_target",
    "deterministic_policy_gradient_loss",
    "polyak_average",
    "smoothed_target_action",
    "squared_errors",
]
