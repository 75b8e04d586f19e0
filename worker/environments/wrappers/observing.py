"""A pool whose observations are changed one by one: what is shown depends on nothing that was shown before."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.host import Actions, HostEnvironments, Observations, StepResult


class ObservingPool:
    def __init__(
        self, pool: HostEnvironments, info: EnvironmentInfo, change: Callable[[Observations], Observations]
    ) -> None:
        """`change`: of observations [count, ...]."""
        self.info, self.count = info, pool.count
        self._pool, self._change = pool, change

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        return self._change(self._pool.reset(seeds))

    def step(self, actions: Actions) -> StepResult:
        result = self._pool.step(actions)
        return result._replace(obs=self._change(result.obs), next_obs=self._change(result.next_obs))

    def close(self) -> None:
        self._pool.close()
