"""Environments that are pure functions, so that they can be compiled, scanned and run on a device.

Written for ONE environment; `start` and `advance` make a pool of many. `JaxPool` serves one to those who know only
`HostEnvironments`.
"""

import functools
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import Array, EnvironmentInfo, Key
from phylon.worker.environments.host import Actions, Observations, StepResult

EnvironmentState = Any
"""A tree of arrays, of each environment's own making."""


class JaxStep(NamedTuple):
    """One step of one environment. An episode that ended stays there: restarting is the pool's business."""

    state: EnvironmentState
    obs: Array
    reward: Array
    terminated: Array
    truncated: Array


class ResetFn(Protocol):
    """The beginning of an episode."""

    def __call__(self, key: Key) -> tuple[EnvironmentState, Array]: ...


class StepFn(Protocol):
    """`action`: float32 [action_size] in [-1, 1], or an int32 scalar."""

    def __call__(self, state: EnvironmentState, action: Array, key: Key) -> JaxStep: ...


class JaxEnvironment(NamedTuple):
    info: EnvironmentInfo
    reset: ResetFn
    step: StepFn


class Pool(NamedTuple):
    """Many environments as one value, [count, ...]."""

    states: EnvironmentState
    keys: Key


class PoolStep(NamedTuple):
    """The fields of `StepResult`, on the device."""

    obs: Array
    reward: Array
    terminated: Array
    truncated: Array
    next_obs: Array


def start(environment: JaxEnvironment, keys: Key) -> tuple[Pool, Array]:
    """A pool, each environment with its own key [count], and the first observations."""
    keys, reset_keys = _split(keys, 2)
    # Of settled types: an environment may begin with plain numbers of Python, whose types steps would change, and then
    # the second segment would be compiled again.
    states, obs = jax.tree.map(lambda leaf: jnp.asarray(leaf, leaf.dtype), jax.vmap(environment.reset)(reset_keys))
    return Pool(states, keys), obs


def start_from_seeds(environment: JaxEnvironment, seeds: Array) -> tuple[Pool, Array]:
    """The same, each environment with its own seed, uint32 [count]."""
    return start(environment, jax.vmap(jax.random.key)(seeds))


def proceed(environment: JaxEnvironment, pool: Pool, actions: Array) -> tuple[Pool, JaxStep, Key]:
    """Step all, once. No episode starts over; the keys [count] are there to do it with."""
    keys, step_keys, reset_keys = _split(pool.keys, 3)
    step = jax.vmap(environment.step)(pool.states, actions, step_keys)
    return Pool(step.state, keys), step, reset_keys


def advance(environment: JaxEnvironment, pool: Pool, actions: Array) -> tuple[Pool, PoolStep]:
    """Step all; those that end begin a new episode. Nothing is spent on beginnings while nobody ends."""
    pool, step, reset_keys = proceed(environment, pool, actions)
    ended = step.terminated | step.truncated

    def restart() -> tuple[EnvironmentState, Array]:
        def choose(new: Array, old: Array) -> Array:
            return jnp.where(ended.reshape(-1, *(1,) * (old.ndim - 1)), new, old)

        return jax.tree.map(choose, jax.vmap(environment.reset)(reset_keys), (step.state, step.obs))

    states, obs = jax.lax.cond(ended.any(), restart, lambda: (step.state, step.obs))
    return Pool(states, pool.keys), PoolStep(obs, step.reward, step.terminated, step.truncated, step.obs)


def _split(keys: Key, parts: int) -> tuple[Key, ...]:
    """Keys [count] -> `parts` times keys [count]."""
    split = jax.vmap(lambda key: jax.random.split(key, parts))(keys)
    return tuple(split[:, part] for part in range(parts))


class JaxPool:
    """A pool as `HostEnvironments`: one compiled call a step."""

    def __init__(self, environment: JaxEnvironment, count: int) -> None:
        self.environment, self.info = environment, environment.info
        self.count = count
        self.now: Pool | None = None
        self._start = jax.jit(functools.partial(start_from_seeds, environment))
        self._advance = jax.jit(functools.partial(advance, environment))

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        self.now, obs = self._start(np.asarray(seeds, np.uint32))
        return np.array(obs)

    def step(self, actions: Actions) -> StepResult:
        self.now, result = self._advance(self.now, actions)
        return StepResult._make(map(np.array, result))

    def close(self) -> None:
        self.now = None
