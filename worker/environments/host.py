"""Environments that run on the host: one batched pool, stepped together."""

from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import EnvironmentInfo

Purpose = Literal["train", "evaluate", "test"]
"""What for: to learn from; to rank members by, on the same levels but with true rewards and whole games; or to measure
how they do on all levels, where training and ranking have some of them only."""

FloatArray = NDArray[np.float32]
BoolArray = NDArray[np.bool_]
Observations = NDArray[Any]
"""float32, or uint8 where `EnvironmentInfo.observation_dtype` says so. Images have their channels last."""
Actions = NDArray[Any]
"""float32 [count, action_size] in [-1, 1], or int32 [count] where `EnvironmentInfo.is_discrete`."""


class StepResult(NamedTuple):
    """Arrays with one row an environment. They are fresh at each step, so a caller may keep them."""

    obs: Observations
    """What to act on next: where an episode ended, the first observation of the next one."""
    reward: FloatArray
    terminated: BoolArray
    """The episode reached a true end: nothing follows, so nothing is bootstrapped."""
    truncated: BoolArray
    """The episode was cut, by a time limit: its future would have gone on."""
    next_obs: Observations
    """What the action led to, also where the episode ended there; equals `obs` where it goes on."""


class HostEnvironments(Protocol):
    """A pool of `count` environments. One that ends restarts within the same step, its own randomness going on."""

    info: EnvironmentInfo
    count: int

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        """Start every environment afresh, each with its own seed [count] below 2^31; observations [count, ...].

        What follows depends on the seeds and the actions alone, whatever the pool did before.
        """
        ...

    def step(self, actions: Actions) -> StepResult:
        """Continuous actions are scaled to what the environment expects."""
        ...

    def close(self) -> None: ...


class Renderer(NamedTuple):
    """One environment to look at. Its episodes are those of any pool with the same seeds and actions."""

    environments: HostEnvironments
    """A pool of one."""
    frame: "FrameFn"
    frames_per_second: int
    """Of the environment's own time."""


class FrameFn(Protocol):
    """How the environment looks now, [height, width, 3]; after the last step of an episode, how the next one begins."""

    def __call__(self) -> NDArray[np.uint8]: ...
