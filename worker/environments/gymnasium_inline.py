"""Gymnasium environments stepped one after the other in this process, and what a process of a few of them does."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from phylon.policy.flattening import flatten_one
from phylon.policy.parts import Part
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.gymnasium_spaces import to_native
from phylon.worker.environments.host import Actions, Observations, StepResult

Environment = gymnasium.Env[Any, Any]


class Chunk:
    """Environments of one kind. They leave what happened in arrays of the caller, a row each."""

    def __init__(self, environments: list[Environment], parts: Sequence[Part] = ()) -> None:
        """`parts`: of composite observations, which are laid flat."""
        self._environments, self._parts = environments, parts

    def reset(self, seeds: NDArray[np.integer], obs: Observations) -> None:
        for row, (environment, seed) in enumerate(zip(self._environments, seeds, strict=True)):
            obs[row] = self._flat(environment.reset(seed=int(seed))[0])

    def step(self, actions: Actions, out: StepResult) -> None:
        own_actions = to_native(actions, self._environments[0].action_space)
        for row, (environment, action) in enumerate(zip(self._environments, own_actions, strict=True)):
            obs, out.reward[row], out.terminated[row], out.truncated[row], _ = environment.step(action)
            out.obs[row] = out.next_obs[row] = self._flat(obs)
            if out.terminated[row] or out.truncated[row]:
                out.obs[row] = self._flat(environment.reset()[0])

    def close(self) -> None:
        for environment in self._environments:
            environment.close()

    def _flat(self, obs: Any) -> Any:
        return flatten_one(self._parts, obs) if self._parts else obs


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
        self._chunk = Chunk(environments, info.observation_parts)

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
