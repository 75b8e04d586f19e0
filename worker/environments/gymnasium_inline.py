"""Gymnasium environments stepped one after the other in this process, and what a process of a few of them does."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.host import Actions, Observations, StepResult
from phylon.worker.environments.spaces import scaled

Environment = gymnasium.Env[Any, Any]


class Chunk:
    """Environments of one kind. They leave what happened in arrays of the caller, a row each."""

    def __init__(self, environments: list[Environment]) -> None:
        self._environments = environments

    def reset(self, seeds: NDArray[np.integer], obs: Observations) -> None:
        for row, (environment, seed) in enumerate(zip(self._environments, seeds, strict=True)):
            obs[row], _ = environment.reset(seed=int(seed))

    def step(self, actions: Actions, out: StepResult) -> None:
        own_actions = _to_space(actions, self._environments[0].action_space)
        for row, (environment, action) in enumerate(zip(self._environments, own_actions, strict=True)):
            obs, out.reward[row], out.terminated[row], out.truncated[row], _ = environment.step(action)
            out.next_obs[row] = obs
            if out.terminated[row] or out.truncated[row]:
                obs, _ = environment.reset()
            out.obs[row] = obs

    def close(self) -> None:
        for environment in self._environments:
            environment.close()


def _to_space(actions: Actions, space: gymnasium.Space[Any]) -> NDArray[Any]:
    match space:
        case Discrete():
            return actions.astype(np.int64) + space.start
        case Box():
            shaped = actions.reshape(len(actions), *space.shape)
            return scaled(shaped, space.low, space.high).astype(space.dtype)
        case _:
            raise AssertionError(f"{space} was to be refused when the environment was described")


def empty_result(info: EnvironmentInfo, count: int) -> StepResult:
    def observations() -> Observations:
        return np.empty((count, *info.observation_shape), info.observation_dtype)

    return StepResult(
        obs=observations(),
        reward=np.empty(count, np.float32),
        terminated=np.empty(count, np.bool_),
        truncated=np.empty(count, np.bool_),
        next_obs=observations(),
    )


class InlineEnvironments:
    def __init__(self, environments: list[Environment], info: EnvironmentInfo) -> None:
        self.info = info
        self.count = len(environments)
        self._chunk = Chunk(environments)

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        obs = empty_result(self.info, self.count).obs
        self._chunk.reset(seeds, obs)
        return obs

    def step(self, actions: Actions) -> StepResult:
        result = empty_result(self.info, self.count)
        self._chunk.step(actions, result)
        return result

    def close(self) -> None:
        self._chunk.close()
