"""Steps the training environments of the whole population and keeps account of their episodes."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worker.core.types import Rollout, Transition
from worker.environments import HostEnvironments
from worker.training.randomness import environment_seeds
from worker.training.stopwatch import Stopwatch

ActFn = Callable[[int, NDArray[Any]], NDArray[Any]]
"""(number of the call within the segment, observations [P, envs, ...]) -> actions [P, envs, ...]."""

HostRollout = Rollout[NDArray[Any]]


class Collector:
    """P x envs environments in one pool. `restart` first: it gives them their seeds."""

    def __init__(self, environments: HostEnvironments, population_size: int, seed: int) -> None:
        self._environments = environments
        self._shape = (population_size, environments.count // population_size)
        self._seed = seed
        self._obs = np.empty(0, np.float32)
        self._running = np.zeros(self._shape)
        self._finished_sum = np.zeros(population_size)
        self._finished_count = np.zeros(population_size, np.int64)
        self._latest = np.full(population_size, np.nan)

    def restart(self, checkpoint: int) -> None:
        """Begin new episodes with seeds that follow from the number of the checkpoint just written (0 at the start).

        An uninterrupted run does this too, so whoever resumes from that checkpoint sees the same environments. What
        was cut off counts as truncated, and as no episode.
        """
        self._obs = self._by_member(
            self._environments.reset(environment_seeds(self._seed, "train", checkpoint, self._environments.count))
        )
        self._running[:] = 0

    def collect(self, calls: int, act: ActFn, stopwatch: Stopwatch) -> HostRollout:
        """`calls` steps of every environment, [P, calls, envs, ...]."""
        steps: list[tuple[NDArray[Any], ...]] = []
        for call in range(calls):
            with stopwatch.phase("act"):
                action = act(call, self._obs)
            with stopwatch.phase("env"):
                result = self._environments.step(action.reshape(self._environments.count, *action.shape[2:]))
                reward, terminated, truncated, obs, next_obs = map(
                    self._by_member, (result.reward, result.terminated, result.truncated, result.obs, result.next_obs)
                )
                ends = (terminated.astype(np.float32), next_obs, truncated.astype(np.float32))
                steps.append((self._obs, action, reward, *ends))
                self._obs = obs
                self._account(reward, terminated | truncated)
        *fields, truncations = (np.stack(values, axis=1) for values in zip(*steps, strict=True))
        return Rollout(Transition(*fields), truncations)

    def episode_returns(self) -> NDArray[np.float64]:
        """Mean return of each member's episodes that ended since the last call, or what it was then; NaN at first."""
        ended = self._finished_count > 0
        self._latest[ended] = self._finished_sum[ended] / self._finished_count[ended]
        self._finished_sum[:] = 0
        self._finished_count[:] = 0
        return self._latest.copy()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "finished_sum": self._finished_sum.copy(),
            "finished_count": self._finished_count.copy(),
            "latest": self._latest.copy(),
        }

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._finished_sum[:] = arrays["finished_sum"]
        self._finished_count[:] = arrays["finished_count"]
        self._latest[:] = arrays["latest"]

    def close(self) -> None:
        self._environments.close()

    def _account(self, reward: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        self._running += reward
        if ended.any():
            self._finished_sum += np.where(ended, self._running, 0).sum(axis=1)
            self._finished_count += ended.sum(axis=1)
            self._running[ended] = 0

    def _by_member(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.reshape(*self._shape, *array.shape[1:])


def as_of_one_member(rollout: HostRollout) -> HostRollout:
    """[1, calls, P * envs, ...]: what all members did at the same time lies side by side."""

    def merge(field: NDArray[Any]) -> NDArray[Any]:
        by_call = np.swapaxes(field, 0, 1)  # [calls, P, envs, ...]
        return by_call.reshape(1, len(by_call), -1, *by_call.shape[3:])

    return Rollout(Transition(*map(merge, rollout.transitions)), merge(rollout.truncated))


def in_order_of_time(rollout: HostRollout) -> Transition[NDArray[Any]]:
    """The transitions alone, [P, calls * envs, ...], as a replay takes them."""
    return Transition(*(field.reshape(field.shape[0], -1, *field.shape[3:]) for field in rollout.transitions))
