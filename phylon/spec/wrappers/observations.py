"""Wrappers of observations."""

import math
from typing import Annotated, Literal

from pydantic import Field

from phylon.catalogue.entry import EnvironmentEntry, box
from phylon.registry.descriptions import Refusal, WrapperDescription
from phylon.spec.distributions import Model


class FrameStackSpec(Model):
    name: Literal["frame_stack"]
    frames: Annotated[int, Field(ge=2, le=64)] = 4


class GreyAndResizeSpec(Model):
    name: Literal["grey_and_resize"]
    size: Annotated[int, Field(ge=8, le=512)] = 84
    """Height and width afterwards."""


class FlattenSpec(Model):
    name: Literal["flatten"]


def stacked(spec: FrameStackSpec, entry: EnvironmentEntry) -> EnvironmentEntry | Refusal:
    """Along the last axis, the newest last."""
    space = entry.observation
    if space.kind == "box" and space.shape:
        *sides, last = space.shape
        return _seen(entry, (*sides, last * spec.frames), space.dtype)
    if space.kind == "composite" and not space.has_images:
        return _seen(entry, (space.shape[0] * spec.frames,), "float32")
    return Refusal(
        f"{entry.id} shows {space.describe()}, which cannot be stacked",
        "leave frame_stack out, or put {name: flatten} before it",
    )


def shrunk(spec: GreyAndResizeSpec, entry: EnvironmentEntry) -> EnvironmentEntry | Refusal:
    space = entry.observation
    if space.kind == "box" and space.dtype == "uint8" and len(space.shape) == 3 and space.shape[2] in (1, 3):
        return _seen(entry, (spec.size, spec.size, 1), "uint8")
    return Refusal(
        f"{entry.id} shows {space.describe()}, and only grey or coloured images of bytes can be made grey",
        "leave grey_and_resize out, and put it before frame_stack",
    )


def as_vector(spec: FlattenSpec, entry: EnvironmentEntry) -> EnvironmentEntry:
    del spec
    return _seen(entry, (math.prod(entry.observation.shape),), "float32")


def _seen(entry: EnvironmentEntry, shape: tuple[int, ...], dtype: str) -> EnvironmentEntry:
    return entry.model_copy(update={"observation": box(shape, dtype)})


FRAME_STACK = WrapperDescription(
    spec=FrameStackSpec,
    engines={
        "pool": "phylon.worker.environments.wrappers.frames:frame_stack",
        "functional": "phylon.worker.environments.wrappers.functional:frame_stack",
    },
    summary="Shows the latest `frames` (4) observations along the last axis, the newest last.",
    changes=stacked,
)

GREY_AND_RESIZE = WrapperDescription(
    spec=GreyAndResizeSpec,
    engines={"pool": "phylon.worker.environments.wrappers.images:grey_and_resize"},
    summary="Makes images grey, and `size` (84) pixels high and wide.",
    changes=shrunk,
)

FLATTEN = WrapperDescription(
    spec=FlattenSpec,
    engines={
        "pool": "phylon.worker.environments.wrappers.flatten:flatten",
        "functional": "phylon.worker.environments.wrappers.functional:flatten",
    },
    summary="Shows one vector of all numbers, for a perceptron; images as shares of 255.",
    changes=as_vector,
)
