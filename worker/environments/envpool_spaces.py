"""What envpool's environments show and take, read from its specs, and turned into single arrays."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from phylon.catalogue import OTHER, Space, box, discrete
from phylon.worker.environments.host import Actions, Observations
from phylon.worker.environments.spaces import scaled

# envpool gives all tasks of a dm_control domain the same fields; dm_control itself leaves out those of other tasks.
QUADRUPED_EXTRAS = frozenset({"origin", "rangefinder", "ball_state", "target_position"})
FIELDS_OF_OTHER_TASKS = {
    "DogRun-v1": {"ball_state", "target_position"},
    "DogStand-v1": {"ball_state", "target_position"},
    "DogTrot-v1": {"ball_state", "target_position"},
    "DogWalk-v1": {"ball_state", "target_position"},
    "FingerSpin-v1": {"target_position", "dist_to_target"},
    "FishUpright-v1": {"target"},
    "HumanoidRun-v1": {"position"},
    "HumanoidRunPureState-v1": {"joint_angles", "head_height", "extremities", "torso_vertical", "com_velocity"},
    "HumanoidStand-v1": {"position"},
    "HumanoidWalk-v1": {"position"},
    "QuadrupedEscape-v1": QUADRUPED_EXTRAS - {"origin", "rangefinder"},
    "QuadrupedFetch-v1": QUADRUPED_EXTRAS - {"ball_state", "target_position"},
    "QuadrupedRun-v1": QUADRUPED_EXTRAS,
    "QuadrupedWalk-v1": QUADRUPED_EXTRAS,
}
PRIVILEGED = "privileged_state"
"""What Playground shows a critic but never a policy."""

CHANNELS_FIRST = ("atari", "vizdoom")
LARGEST_BOUND = 1e6
"""envpool writes the largest numbers that exist where an action has no bounds."""


class ArraySpec(Protocol):
    """How envpool describes an array. A length of -1 counts players, of which there is one here."""

    dtype: np.dtype[Any]
    shape: list[int]
    minimum: Any
    maximum: Any


class Observed(NamedTuple):
    """The parts of an observation. Several are laid end to end as one vector."""

    paths: tuple[tuple[str, ...], ...]
    """Where they lie in the nested mapping that envpool gives, if it gives one."""
    space: Space
    is_channels_first: bool

    def join(self, obs: Any) -> Observations:
        """From envpool's arrays, which it hands out once, to [count, ...]."""
        parts = [_part(obs, path) for path in self.paths] if isinstance(obs, Mapping) else [obs]
        if len(parts) > 1:
            return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1, dtype=np.float32)
        array = np.moveaxis(parts[0], 1, -1) if self.is_channels_first else parts[0]
        return np.asarray(array, np.uint8 if array.dtype == np.uint8 else np.float32)


def _part(obs: Any, path: tuple[str, ...]) -> NDArray[Any]:
    for name in path:
        obs = obs[name]
    return obs


def read_observation(id: str, family: str, spec: Any) -> Observed:
    left_out = FIELDS_OF_OTHER_TASKS.get(id, frozenset()) | {PRIVILEGED}
    parts: dict[tuple[str, ...], ArraySpec] = {}
    for key, part in spec.state_array_spec.items():
        root, *path = key.replace(":", ".").split(".")
        if root == "obs" and left_out.isdisjoint(path):
            parts[tuple(path)] = part
    is_channels_first = family in CHANNELS_FIRST
    space = _observation_space(list(parts.values()), is_channels_first)
    return Observed(tuple(parts), OTHER if spec.config.max_num_players > 1 else space, is_channels_first)


def _observation_space(parts: list[ArraySpec], is_channels_first: bool) -> Space:
    if len(parts) > 1:
        is_vector = all(part.dtype.kind == "f" for part in parts)
        return box((sum(math.prod(_shape(part)) for part in parts),), str(parts[0].dtype)) if is_vector else OTHER
    shape, dtype = _shape(parts[0]), parts[0].dtype
    if dtype.kind == "b":
        return OTHER
    if dtype.kind == "i" and not shape:
        return _discrete(parts[0])
    return box((*shape[1:], shape[0]) if is_channels_first else shape, str(dtype))


class Acted(NamedTuple):
    space: Space
    low: NDArray[Any]
    high: NDArray[Any]

    def to_pool(self, actions: Actions) -> NDArray[Any]:
        """The pool converts to the type that it expects."""
        if self.space.kind == "discrete":
            return actions + self.low
        return scaled(actions.reshape(len(actions), *self.space.shape), self.low, self.high)


def read_action(spec: Any) -> Acted:
    parts: list[ArraySpec] = [part for key, part in spec.action_array_spec.items() if not key.endswith("env_id")]
    return Acted(_action_space(parts), np.asarray(parts[0].minimum), np.asarray(parts[0].maximum))


def _action_space(parts: list[ArraySpec]) -> Space:
    part, shape = parts[0], _shape(parts[0])
    if len(parts) > 1:
        return OTHER
    if part.dtype.kind == "i":
        return OTHER if shape else _discrete(part)
    is_bounded = np.max(np.abs([part.minimum, part.maximum])) < LARGEST_BOUND
    return box(shape, str(part.dtype)) if is_bounded else OTHER


def _discrete(part: ArraySpec) -> Space:
    return discrete(int(part.maximum) - int(part.minimum) + 1)


def _shape(part: ArraySpec) -> tuple[int, ...]:
    return tuple(length for length in part.shape if length != -1)
