"""Between an environment's own numbers and those of the engine."""

import math
from typing import Any, TypeVar

import numpy as np

from phylon.catalogue import EnvironmentEntry
from phylon.policy.network import NativeActions, Spaces
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.types import EnvironmentInfo

AnyArray = TypeVar("AnyArray", bound=Any)
"""Of NumPy or of JAX."""


def spaces_of(info: EnvironmentInfo) -> Spaces:
    """As an exported policy knows them."""
    return Spaces(
        info.observation_shape,
        info.observation_dtype,
        info.action_size,
        info.is_discrete,
        info.action_counts,
        info.observation_parts,
    )


def info_of(entry: EnvironmentEntry) -> EnvironmentInfo:
    """What the engine makes of an environment; refuses what it cannot use."""
    observation, action = entry.observation, entry.action
    if observation.kind not in ("box", "composite"):
        raise UnsupportedEnvironment(
            f"the observations of '{entry.id}' are {observation.describe()}",
            "choose one that gives arrays of fixed size",
        )
    if action.kind == "other":
        raise UnsupportedEnvironment(
            f"the actions of '{entry.id}' are {action.describe()}",
            "choose an environment with discrete, or continuous and bounded actions",
        )
    return EnvironmentInfo(
        observation_shape=observation.shape,
        action_size=action.n or sum(action.counts) or math.prod(action.shape),
        max_episode_steps=entry.max_episode_steps,
        is_discrete=action.n is not None,
        observation_dtype="uint8" if observation.dtype == "uint8" else "float32",
        frame_stack=entry.frame_stack,
        action_counts=action.counts,
        observation_parts=observation.parts,
    )


def scaled(actions: AnyArray, low: AnyArray, high: AnyArray) -> AnyArray:
    """From [-1, 1] to the bounds; the clip catches what rounding puts a hair outside."""
    return (low + (actions + 1) / 2 * (high - low)).clip(low, high)


def bounded(shape: tuple[int, ...], dtype: str, low: Any, high: Any) -> NativeActions:
    """An environment's own continuous actions; bounds are those of all components, or of each."""
    low, high = (np.broadcast_to(np.asarray(bound, np.float32), shape).ravel().tolist() for bound in (low, high))
    return NativeActions(tuple(shape), dtype, tuple(low), tuple(high))
