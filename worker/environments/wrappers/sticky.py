"""Actions that stick (Machado et al. 2018): a pool repeats the previous action of an episode now and then."""

import numpy as np
from numpy.typing import NDArray

from phylon.spec.wrappers.time import StickyActionsSpec
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.host import Actions, HostEnvironments, Observations, StepResult

STREAM = 0x571C
"""Keeps these draws apart from those of an environment with the same seed."""


def sticky_actions(spec: StickyActionsSpec, pool: HostEnvironments, info: EnvironmentInfo) -> HostEnvironments:
    return StickyPool(pool, info, spec.probability)


class StickyPool:
    def __init__(self, pool: HostEnvironments, info: EnvironmentInfo, probability: float) -> None:
        self.info, self.count = info, pool.count
        self._pool, self._probability = pool, probability
        self._random: list[np.random.Generator] = []
        self._previous = np.zeros((pool.count, *info.action_shape), info.action_dtype)
        self._has_previous = np.zeros(pool.count, np.bool_)

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        self._random = [np.random.default_rng([int(seed), STREAM]) for seed in seeds]
        self._has_previous[:] = False
        return self._pool.reset(seeds)

    def step(self, actions: Actions) -> StepResult:
        draws = np.array([generator.random() for generator in self._random])
        is_kept = (draws < self._probability) & self._has_previous
        self._previous = np.where(is_kept.reshape(-1, *(1,) * (actions.ndim - 1)), self._previous, actions)
        result = self._pool.step(self._previous)
        self._has_previous = ~(result.terminated | result.truncated)
        return result

    def close(self) -> None:
        self._pool.close()
