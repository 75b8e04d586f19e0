"""The latest observations of a pool side by side. An episode begins with its first observation in all places."""

import numpy as np
from numpy.typing import NDArray

from phylon.spec.wrappers.observations import FrameStackSpec
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.host import Actions, HostEnvironments, Observations, StepResult


def frame_stack(spec: FrameStackSpec, pool: HostEnvironments, info: EnvironmentInfo) -> HostEnvironments:
    return FramePool(pool, info, spec.frames)


class FramePool:
    def __init__(self, pool: HostEnvironments, info: EnvironmentInfo, frames: int) -> None:
        self.info, self.count = info, pool.count
        self._pool, self._frames = pool, frames
        self._stack: Observations = np.empty(0)

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        self._stack = self._begin(self._pool.reset(seeds))
        return self._stack.copy()

    def step(self, actions: Actions) -> StepResult:
        result = self._pool.step(actions)
        older = self._stack[..., result.next_obs.shape[-1] :]
        next_obs = np.concatenate([older, result.next_obs], axis=-1)
        ended = np.flatnonzero(result.terminated | result.truncated)
        self._stack = next_obs.copy()
        self._stack[ended] = self._begin(result.obs[ended])
        return result._replace(obs=self._stack.copy(), next_obs=next_obs)

    def close(self) -> None:
        self._pool.close()

    def _begin(self, obs: Observations) -> Observations:
        return np.concatenate([obs] * self._frames, axis=-1)
