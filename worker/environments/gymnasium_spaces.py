"""Gymnasium's spaces in the catalogue's words, and actions in an environment's own numbers."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from phylon.catalogue import OTHER, Part, Space, box, composite, discrete, multi_discrete
from phylon.policy.network import NativeActions
from phylon.worker.environments.host import Actions
from phylon.worker.environments.spaces import bounded, scaled

AnySpace = gymnasium.Space[Any]
Path = tuple[str | int, ...]


def describe_observation(space: AnySpace) -> Space:
    """A vector or an image as it is; whatever else has a fixed size as the parts of a vector."""
    if isinstance(space, spaces.Box) and len(space.shape) in (1, 3):
        return box(space.shape, str(space.dtype))
    parts = list(_parts(space, ()))
    return OTHER if None in parts else composite(tuple(part for part in parts if part is not None))


def _parts(space: AnySpace, path: Path) -> Iterator[Part | None]:
    """None for what has no fixed size."""
    match space:
        case spaces.Dict():
            for key, inner in space.spaces.items():
                yield from _parts(inner, (*path, str(key)))
        case spaces.Tuple():
            for place, inner in enumerate(space.spaces):
                yield from _parts(inner, (*path, place))
        case spaces.Box():
            yield Part(path=path, kind="box", shape=space.shape, dtype=str(space.dtype), counts=(), starts=())
        case spaces.Discrete():
            yield _choices(path, (), str(space.dtype), [space.n], [space.start])
        case spaces.MultiDiscrete():
            yield _choices(path, space.shape, str(space.dtype), space.nvec.ravel(), space.start.ravel())
        case spaces.MultiBinary():
            shape = tuple(map(int, space.shape))
            yield Part(path=path, kind="multi_binary", shape=shape, dtype=str(space.dtype), counts=(), starts=())
        case _:
            yield None


def _choices(path: Path, shape: tuple[int, ...], dtype: str, counts: Any, starts: Any) -> Part:
    return Part(
        path=path,
        kind="discrete",
        shape=shape,
        dtype=dtype,
        counts=tuple(map(int, counts)),
        starts=tuple(map(int, starts)),
    )


def describe_action(space: AnySpace) -> Space:
    match space:
        case spaces.Box():
            is_usable = space.is_bounded() and space.dtype is not None and space.dtype.kind == "f"
            return box(space.shape, str(space.dtype)) if is_usable else OTHER
        case spaces.Discrete():
            return discrete(int(space.n))
        case spaces.MultiDiscrete() | spaces.MultiBinary():
            return multi_discrete(_counts(space))
        case _:
            return OTHER


def describe_native_actions(space: AnySpace) -> NativeActions:
    match space:
        case spaces.Discrete():
            return NativeActions((), "int64", start=int(space.start))
        case spaces.MultiDiscrete() | spaces.MultiBinary():
            starts = tuple(_starts(space).ravel().tolist())
            return NativeActions(tuple(map(int, space.shape)), str(space.dtype), starts=starts)
        case spaces.Box():
            return bounded(space.shape, str(space.dtype), space.low, space.high)
        case _:
            raise AssertionError(f"{space} was to be refused when the environment was described")


def to_native(actions: Actions, space: AnySpace) -> NDArray[Any]:
    """The engine's actions [count, ...] as the environment takes them."""
    match space:
        case spaces.Discrete():
            return actions.astype(np.int64) + space.start
        case spaces.MultiDiscrete() | spaces.MultiBinary():
            return (actions.reshape(len(actions), *space.shape) + _starts(space)).astype(space.dtype)
        case spaces.Box():
            shaped = actions.reshape(len(actions), *space.shape)
            return scaled(shaped, space.low, space.high).astype(space.dtype)
        case _:
            raise AssertionError(f"{space} was to be refused when the environment was described")


def _counts(space: spaces.MultiDiscrete | spaces.MultiBinary) -> tuple[int, ...]:
    if isinstance(space, spaces.MultiBinary):
        return (2,) * int(np.prod(space.shape))
    return tuple(map(int, space.nvec.ravel()))


def _starts(space: spaces.MultiDiscrete | spaces.MultiBinary) -> NDArray[Any]:
    return np.zeros(space.shape, np.int64) if isinstance(space, spaces.MultiBinary) else space.start
