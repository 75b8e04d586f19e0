"""Rewards of a pool, changed."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from phylon.spec.wrappers.rewards import ClipRewardSpec, ScaleRewardSpec
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.host import Actions, FloatArray, HostEnvironments, Observations, StepResult


def scale_reward(spec: ScaleRewardSpec, pool: HostEnvironments, info: EnvironmentInfo) -> HostEnvironments:
    factor = np.float32(spec.factor)
    return RewardPool(pool, info, lambda reward: reward * factor)


def clip_reward(spec: ClipRewardSpec, pool: HostEnvironments, info: EnvironmentInfo) -> HostEnvironments:
    low, high = np.float32(spec.low), np.float32(spec.high)
    return RewardPool(pool, info, lambda reward: np.clip(reward, low, high))


class RewardPool:
    def __init__(
        self, pool: HostEnvironments, info: EnvironmentInfo, change: Callable[[FloatArray], FloatArray]
    ) -> None:
        self.info, self.count = info, pool.count
        self._pool, self._change = pool, change

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        return self._pool.reset(seeds)

    def step(self, actions: Actions) -> StepResult:
        result = self._pool.step(actions)
        return result._replace(reward=self._change(result.reward))

    def close(self) -> None:
        self._pool.close()
