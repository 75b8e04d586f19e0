"""Between an environment's own numbers and those of the engine."""

import math
from typing import Any, TypeVar

from phylon.catalogue import EnvironmentEntry
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.types import EnvironmentInfo

AnyArray = TypeVar("AnyArray", bound=Any)
"""Of NumPy or of JAX."""


def info_of(entry: EnvironmentEntry) -> EnvironmentInfo:
    """What the engine makes of an environment; refuses what it cannot use."""
    observation, action = entry.observation, entry.action
    if observation.kind != "box":
        raise UnsupportedEnvironment(
            f"the observations of '{entry.id}' are {observation.describe()}", "choose one that gives one array"
        )
    if action.kind == "other":
        raise UnsupportedEnvironment(
            f"the actions of '{entry.id}' are {action.describe()}",
            "choose an environment with discrete, or continuous and bounded actions",
        )
    return EnvironmentInfo(
        observation_shape=observation.shape,
        action_size=math.prod(action.shape) if action.n is None else action.n,
        max_episode_steps=entry.max_episode_steps,
        is_discrete=action.n is not None,
        observation_dtype="uint8" if observation.dtype == "uint8" else "float32",
        frame_stack=entry.frame_stack,
    )


def scaled(actions: AnyArray, low: AnyArray, high: AnyArray) -> AnyArray:
    """From [-1, 1] to the bounds; the clip catches what rounding puts a hair outside."""
    return (low + (actions + 1) / 2 * (high - low)).clip(low, high)
