"""Steps the training environments of the whole population and keeps account of their episodes."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worker.core.types import Transition
from worker.environments import HostEnvironments
from worker.training.randomness import environment_seeds
from worker.training.stopwatch import Stopwatch

ActFn = Callable[[int, NDArray[np.float32]], NDArray[np.float32]]
"""(number of the call within the segment, observations [P, envs, ...]) -> actions [P, envs, action]."""


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

    def collect(self, calls: int, act: ActFn, stopwatch: Stopwatch) -> Transition[NDArray[np.float32]]:
        """`calls` steps of every environment: transitions [P, calls * envs, ...], in the order of time."""
        steps: list[Transition[NDArray[np.float32]]] = []
        for call in range(calls):
            with stopwatch.phase("act"):
                action = act(call, self._obs)
            with stopwatch.phase("env"):
                result = self._environments.step(action.reshape(self._environments.count, -1))
                reward, terminated, truncated, obs, next_obs = map(
                    self._by_member, (result.reward, result.terminated, result.truncated, result.obs, result.next_obs)
                )
                steps.append(Transition(self._obs, action, reward, terminated.astype(np.float32), next_obs))
                self._obs = obs
                self._account(reward, terminated | truncated)
        return Transition(*(_joined(fields) for fields in zip(*steps, strict=True)))

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


def _joined(fields: tuple[NDArray[np.float32], ...]) -> NDArray[np.float32]:
    """[P, envs, ...] of each call → [P, calls * envs, ...]."""
    stacked = np.stack(fields, axis=1)
    return stacked.reshape(stacked.shape[0], -1, *stacked.shape[3:])
