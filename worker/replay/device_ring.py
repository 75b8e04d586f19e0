"""The ring of ONE member on the device: pure functions, to be part of compiled programs.

What is stored where, and what a sample is made of, is as in the ring in host memory, bit for bit. The host counts: it
says where to write, what is filled, and which transitions are drawn.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, EnvironmentInfo, NStepTransition, Rollout, Transition
from phylon.worker.replay.steps import Window, gather_steps


class DeviceRing(NamedTuple):
    fields: Transition[Array]
    """[capacity, ...]"""
    ended: Array | None
    """Where the next transition of the same environment is of another episode; None for single steps."""


def empty_rings(
    population_size: int, capacity: int, info: EnvironmentInfo, n_step: int, where: jax.sharding.Sharding
) -> DeviceRing:
    """Of all members, [P, capacity, ...]."""

    def field(*shape: int, dtype: str = "float32") -> Array:
        return jnp.zeros((population_size, capacity, *shape), dtype, device=where)

    fields = Transition(
        obs=field(*info.observation_shape, dtype=info.observation_dtype),
        action=field(*info.action_shape, dtype=info.action_dtype),
        reward=field(),
        terminated=field(),
        next_obs=field(*info.observation_shape, dtype=info.observation_dtype),
    )
    return DeviceRing(fields, field(dtype="bool") if n_step > 1 else None)


def write(ring: DeviceRing, rollout: Rollout[Array], start: Array) -> DeviceRing:
    """Appends a rollout [calls, envs, ...] in order of time from place `start` on, over the oldest."""
    capacity, count = ring.fields.reward.shape[0], rollout.truncated.size
    kept = min(count, capacity)  # of more than fit the newest: no place is written twice
    places = (start + (count - kept) + jnp.arange(kept)) % capacity

    def put(stored: Array, new: Array) -> Array:
        rows = new.reshape(count, *new.shape[2:])[count - kept :]
        return stored.at[places].set(rows.astype(stored.dtype), mode="promise_in_bounds", unique_indices=True)

    ended = ring.ended
    if ended is not None:
        ended = put(ended, (rollout.transitions.terminated + rollout.truncated) > 0)
    return DeviceRing(Transition(*map(put, ring.fields, rollout.transitions)), ended)


def cut(ended: Array, start: Array, envs: int) -> Array:
    """All environments restart: what will be written from place `start` on follows nothing before."""
    return ended.at[(start - envs + jnp.arange(envs)) % len(ended)].set(True)


def gather(
    ring: DeviceRing, indices: Array, oldest: Array, size: Array, envs: int, n_step: int
) -> Transition[Array] | NStepTransition[Array]:
    """The sample that a ring in host memory gives for these places [...] in it."""

    def take(stored: Array, places: Array) -> Array:
        return stored.at[places].get(mode="promise_in_bounds")

    window = Window(oldest, size, ring.fields.reward.shape[0])
    return gather_steps(take, ring.fields, ring.ended, indices, window, envs, n_step)
