"""Evaluation where environments are pure functions: all episodes of all members in one program."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.types import Array
from phylon.worker.environments.jax_environment import JaxPool, Pool, proceed, start_from_seeds
from phylon.worker.execution import Actor, Execution
from phylon.worker.execution.compilation import compile_over_devices
from phylon.worker.execution.interface import Policies
from phylon.worker.training.evaluate import Evaluation, episode_limit, seeds_of_members
from phylon.worker.training.randomness import EvaluationEpisodes


class EpisodesState(NamedTuple):
    """All but `pool` and `steps` are per episode, [members * episodes, ...]."""

    pool: Pool
    obs: Array
    steps: Array
    returns: Array
    lengths: Array
    is_running: Array


class DeviceEvaluator:
    """Each device plays the episodes of its own members until the last of them ends."""

    has_unseen_levels = False  # no suite of pure functions has levels

    def __init__(self, environments: JaxPool, population_size: int, execution: Execution) -> None:
        self._environment, self._exploit = environments.environment, execution.acting.exploit
        self._episodes = environments.count // population_size
        self._limit = episode_limit(environments.info)
        self.program = compile_over_devices(self._play, execution.devices, population_size)

    def evaluate(self, actor: Actor, episodes: EvaluationEpisodes) -> Evaluation:
        played = self.program(actor.policies, seeds_of_members(episodes), episodes.keys)
        returns, lengths = jax.device_get(played)
        return Evaluation(returns.astype(np.float64), lengths.astype(np.int64))

    def evaluate_unseen(self, actor: Actor, episodes: EvaluationEpisodes) -> Evaluation:
        return self.evaluate(actor, episodes)

    def close(self) -> None:
        """Nothing is held open."""

    def _play(self, policies: Policies, seeds: Array, keys: Array) -> tuple[Array, Array]:
        """Returns and lengths of some members, [members, episodes]."""

        def is_going_on(now: EpisodesState) -> Array:
            return (now.steps < self._limit) & now.is_running.any()

        def step(now: EpisodesState) -> EpisodesState:
            obs = now.obs.reshape(-1, self._episodes, *now.obs.shape[1:])
            action = self._exploit(policies, obs, keys, now.steps)
            pool, result, _ = proceed(self._environment, now.pool, action.reshape(-1, *action.shape[2:]))
            return EpisodesState(
                pool,
                result.obs,
                now.steps + 1,
                # An ended episode is still stepped, but no longer counts.
                now.returns + jnp.where(now.is_running, result.reward, 0),
                now.lengths + now.is_running,
                now.is_running & ~(result.terminated | result.truncated),
            )

        pool, obs = start_from_seeds(self._environment, seeds)
        nothing = jnp.zeros(len(seeds), jnp.int32)
        begun = EpisodesState(pool, obs, jnp.int32(0), nothing.astype(jnp.float32), nothing, nothing == 0)
        ended = jax.lax.while_loop(is_going_on, step, begun)
        return ended.returns.reshape(-1, self._episodes), ended.lengths.reshape(-1, self._episodes)
