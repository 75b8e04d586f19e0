"""Wrappers around one environment of Gymnasium: what has to happen between two of its own steps."""

from typing import Any

import gymnasium
from gymnasium.wrappers import TimeLimit

from phylon.spec.wrappers.time import ActionRepeatSpec, TimeLimitSpec
from phylon.worker.core.types import EnvironmentInfo

Environment = gymnasium.Env[Any, Any]


def action_repeat(spec: ActionRepeatSpec, environment: Environment, info: EnvironmentInfo) -> Environment:
    del info
    return ActionRepeat(environment, spec.steps)


def time_limit(spec: TimeLimitSpec, environment: Environment, info: EnvironmentInfo) -> Environment:
    del info
    return TimeLimit(environment, max_episode_steps=spec.steps)


class ActionRepeat(gymnasium.Wrapper[Any, Any, Any, Any]):
    def __init__(self, environment: Environment, steps: int) -> None:
        super().__init__(environment)
        self._steps = steps

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        total = 0.0
        for _ in range(self._steps):
            obs, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        return obs, total, terminated, truncated, info
