"""Environments that run on the host: one batched pool, stepped together."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from worker.core.types import EnvironmentInfo

FloatArray = NDArray[np.float32]
BoolArray = NDArray[np.bool_]


class StepResult(NamedTuple):
    """Arrays with one row an environment. They are fresh at each step, so a caller may keep them."""

    obs: FloatArray
    """What to act on next: where an episode ended, the first observation of the next one."""
    reward: FloatArray
    terminated: BoolArray
    """The episode reached a true end: nothing follows, so nothing is bootstrapped."""
    truncated: BoolArray
    """The episode was cut, by a time limit: its future would have gone on."""
    next_obs: FloatArray
    """What the action led to, also where the episode ended there; equals `obs` where it goes on."""


class HostEnvironments(Protocol):
    """A pool of `count` environments. One that ends restarts within the same step, its own randomness going on."""

    info: EnvironmentInfo
    count: int

    def reset(self, seeds: NDArray[np.integer]) -> FloatArray:
        """Start every environment afresh, each with its own seed [count]; observations [count, ...]."""
        ...

    def step(self, actions: FloatArray) -> StepResult:
        """Actions [count, action_size] in [-1, 1]; they are scaled to what the environment expects."""
        ...

    def close(self) -> None: ...
