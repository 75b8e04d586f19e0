"""Problems with known answers for population methods. An episode is one step: the action is the member's own parameter.

| id              | action                        | reward                    |
|-----------------|-------------------------------|---------------------------|
| Figure2-v0      | theta, in [-1, 1]²            | 1.2 - theta_0² - theta_1² |
| TriangleWave-v0 | accuracy, 0 to 200 as -1 to 1 | the accuracy              |

Nothing is random, and an observation says nothing. The algorithms that belong to them are in `worker.algorithms.toy`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.catalogue import EnvironmentEntry, box
from phylon.spec.environment import EnvironmentSpec
from phylon.toys import figure2_score
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.host import Actions, FloatArray, HostEnvironments, Purpose, Renderer, StepResult
from phylon.worker.environments.spaces import info_of

HALF_WAY = np.float32(100)
"""The accuracy that the action 0 stands for."""


class Toy(NamedTuple):
    action_size: int
    reward: Callable[[FloatArray], FloatArray]
    """Actions [count, action_size] -> [count]."""


TOYS = {
    "Figure2-v0": Toy(2, figure2_score),
    "TriangleWave-v0": Toy(1, lambda actions: HALF_WAY * (1 + actions[:, 0])),
}


def ids() -> list[str]:
    return list(TOYS)


def find_entry(id: str) -> EnvironmentEntry:
    if id not in TOYS:
        raise EnvironmentUnavailable(f"there is no toy environment '{id}'", f"use one of {', '.join(TOYS)}")
    return EnvironmentEntry(
        suite="toy",
        id=id,
        family="toy",
        observation=box((1,), "float32"),
        action=box((TOYS[id].action_size,), "float32"),
        max_episode_steps=1,
    )


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    del purpose  # training and evaluation are the same
    info = info_of(find_entry(environment.id))
    return ToyEnvironments(TOYS[environment.id], info, count)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    del environment
    return None


class ToyEnvironments:
    def __init__(self, toy: Toy, info: EnvironmentInfo, count: int) -> None:
        self.info = info
        self.count = count
        self._toy = toy

    def reset(self, seeds: NDArray[np.integer]) -> FloatArray:
        del seeds  # nothing is random
        return self._nothing()

    def step(self, actions: Actions) -> StepResult:
        return StepResult(
            self._nothing(),
            self._toy.reward(np.clip(actions, -1, 1)),
            np.ones(self.count, np.bool_),
            np.zeros(self.count, np.bool_),
            self._nothing(),
        )

    def close(self) -> None:
        """Nothing is held open."""

    def _nothing(self) -> FloatArray:
        return np.zeros((self.count, 1), np.float32)
