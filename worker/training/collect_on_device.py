"""Collects experience where environments are pure functions: a segment of the whole population in one program.

Each device steps the environments of its own members. Their experience stays there, so an algorithm that learns from
rollouts reads it where it learns.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.types import Array, Rollout, Transition
from phylon.worker.environments.jax_environment import JaxPool, Pool, advance, start_from_seeds
from phylon.worker.execution import Execution
from phylon.worker.execution.compilation import compile_over_devices
from phylon.worker.execution.interface import Policies
from phylon.worker.training.collect import Behaviour, PolicyActions
from phylon.worker.training.metrics import EpisodeReturns
from phylon.worker.training.randomness import environment_seeds
from phylon.worker.training.stopwatch import Stopwatch


class DeviceCollector:
    def __init__(
        self,
        environments: JaxPool,
        population_size: int,
        seed: int,
        execution: Execution,
        kept: int = 0,
        first: int = 0,
    ) -> None:
        """`population_size`: of the members here; `first`: the slot of the first of them."""
        self._environment, self._count, self._seed = environments.environment, environments.count, seed
        self._envs = environments.count // population_size
        self._first = first * self._envs
        self._explore = execution.acting.explore
        spread = partial(compile_over_devices, devices=execution.devices, members=population_size)
        self.start = spread(partial(start_from_seeds, self._environment))
        self.program = spread(self.segment, donated=(2, 3))
        self.now: tuple[Pool, Array] | None = None
        """All environments and what they show; None until they are restarted."""
        self.episodes = EpisodeReturns(population_size, self._envs, kept)

    def restart(self, checkpoint: int) -> None:
        self.now = self.start(environment_seeds(self._seed, "train", checkpoint, self._count, self._first))
        self.episodes.cut()

    def collect(self, behaviour: Behaviour, stopwatch: Stopwatch) -> Rollout[Array]:
        assert self.now is not None, "restart the environments first"
        if isinstance(behaviour, PolicyActions):
            policies, inputs = behaviour.actor.policies, behaviour.keys
        else:
            policies, inputs = None, behaviour.actions
        with stopwatch.phase("env"):
            pool, obs, rollout = self.program(policies, np.swapaxes(inputs, 0, 1), *self.now)
            self.now = pool, obs
            ends = (rollout.transitions.terminated, rollout.truncated)
            reward, terminated, truncated = jax.device_get((rollout.transitions.reward, *ends))
            self.episodes.add(reward, (terminated + truncated) > 0)
        return rollout

    def close(self) -> None:
        self.now = None

    def segment(
        self, policies: Policies | None, inputs: Array, pool: Pool, obs: Array
    ) -> tuple[Pool, Array, Rollout[Array]]:
        """A segment of some members. `inputs`: keys or, without policies, actions, [members, calls, ...]."""

        def step(pool: Pool, obs: Array, own: Array) -> tuple[Pool, Array, Rollout[Array]]:
            seen = self._by_member(obs)
            action = own if policies is None else self._explore(policies, seen, own)
            pool, result = advance(self._environment, pool, action.reshape(-1, *action.shape[2:]))
            reward, terminated, truncated, next_obs = map(
                self._by_member, (result.reward, result.terminated, result.truncated, result.next_obs)
            )
            transition = Transition(seen, action, reward, terminated.astype(jnp.float32), next_obs)
            return pool, result.obs, Rollout(transition, truncated.astype(jnp.float32))

        def write(call: Array, carry: Any) -> Any:
            pool, obs, rollout = carry
            pool, obs, record = step(pool, obs, inputs[:, call])
            # Written in place: stacking by time and transposing would hold everything twice.
            return pool, obs, jax.tree.map(lambda to, new: to.at[:, call].set(new), rollout, record)

        calls = inputs.shape[1]
        *_, record = jax.eval_shape(step, pool, obs, inputs[:, 0])
        empty = jax.tree.map(lambda one: jnp.zeros((one.shape[0], calls, *one.shape[1:]), one.dtype), record)
        return jax.lax.fori_loop(0, calls, write, (pool, obs, empty))

    def _by_member(self, array: Array) -> Array:
        return array.reshape(-1, self._envs, *array.shape[1:])
