"""Learning rates that fall over a run: the factor follows from the number of the update, so nothing is stored."""

import jax.numpy as jnp

from phylon.spec.algorithms.decay import DecayShape
from phylon.worker.core.types import Array, Hyperparams, Metrics, ScheduleFn


def decay_factor(shape: DecayShape, end: float, progress: Array) -> Array:
    """1 at progress 0, `end` at progress 1, and beyond these as at the nearer one."""
    progress = jnp.clip(progress, 0, 1)
    match shape:
        case "none":
            return jnp.ones_like(progress)
        case "linear":
            return 1 - (1 - end) * progress
        case "cosine":  # Loshchilov & Hutter 2017, equation 5, without restarts
            return end + (1 - end) * (1 + jnp.cos(jnp.pi * progress)) / 2


def decaying_rates(names: tuple[str, ...], shape: DecayShape, end: float, updates: range) -> ScheduleFn:
    """`names`: of the learning rates; `updates`: numbers of the run's updates, from its first to beyond its last."""

    def schedule(hyperparams: Hyperparams, number: Array) -> tuple[Hyperparams, Metrics]:
        factor = decay_factor(shape, end, (jnp.asarray(number, jnp.float32) - updates.start) / max(1, len(updates)))
        now = {name: factor * hyperparams[name] for name in names}
        return hyperparams | now, {f"effective_{name}": value for name, value in now.items()}

    return schedule
