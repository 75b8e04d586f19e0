"""Environments of the suite, as a trainer makes them. An episode is one pull: reward 1 for the lever that lights up.

`python -m phylon.worker.environments.catalogue levers` writes levers.json from this file.
"""

import numpy as np
from numpy.typing import NDArray

from phylon.catalogue import EnvironmentEntry, box, discrete
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments.host import Actions, FloatArray, HostEnvironments, Purpose, Renderer, StepResult
from phylon.worker.environments.spaces import info_of

LEVERS = {"TwoLevers-v0": 2, "FiveLevers-v0": 5}


def ids() -> list[str]:
    return list(LEVERS)


def find_entry(id: str) -> EnvironmentEntry:
    if id not in LEVERS:
        raise EnvironmentUnavailable(f"there is no environment '{id}' of levers", f"use one of {', '.join(LEVERS)}")
    return EnvironmentEntry(
        suite="levers",
        id=id,
        family="levers",
        observation=box((LEVERS[id],), "float32"),
        action=discrete(LEVERS[id]),
        max_episode_steps=1,
    )


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    del purpose  # training and evaluation are the same
    return Levers(environment.id, count)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    del environment
    return None


class Levers:
    """A pool of environments that are stepped together."""

    def __init__(self, id: str, count: int) -> None:
        self.info = info_of(find_entry(id))
        self.count = count
        self._random: list[np.random.Generator] = []
        self._obs = np.zeros((count, LEVERS[id]), np.float32)

    def reset(self, seeds: NDArray[np.integer]) -> FloatArray:
        self._random = [np.random.default_rng(int(seed)) for seed in seeds]
        self._obs = self._light_up()
        return self._obs

    def step(self, actions: Actions) -> StepResult:
        """The next episode starts at once: `obs` is its first observation, `next_obs` that after the step."""
        seen, self._obs = self._obs, self._light_up()
        reward = seen[np.arange(self.count), actions]
        return StepResult(self._obs, reward, np.ones(self.count, np.bool_), np.zeros(self.count, np.bool_), seen)

    def close(self) -> None:
        """Nothing is held open."""

    def _light_up(self) -> FloatArray:
        size = self._obs.shape[1]
        return np.eye(size, dtype=np.float32)[[random.integers(size) for random in self._random]]
