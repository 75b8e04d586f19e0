"""One environment of the catalogue, and the short way in which the files write it down."""

import json
from typing import Any

from phylon.contract.catalogue import Environment, Space
from phylon.registry import suites


def box(shape: tuple[int, ...], dtype: str) -> Space:
    return Space(kind="box", shape=shape, dtype=dtype, n=None)


def discrete(n: int) -> Space:
    return Space(kind="discrete", shape=(), dtype="int32", n=n)


COMPOSITE = Space(kind="other", shape=(), dtype="", n=None)
"""What no algorithm here can use: several things at once, or numbers without bounds for actions."""


class EnvironmentEntry(Environment):
    @property
    def is_renderable(self) -> bool:
        """Whether there is something to film. A machine may still lack the libraries for drawing it."""
        return suites()[self.suite].family(self.family).is_renderable

    @property
    def frame_stack(self) -> int:
        """How many frames an observation is made of, along its last axis."""
        return suites()[self.suite].family(self.family).frame_stack

    def to_line(self) -> str:
        """A row of the suite's file, e.g. `["HalfCheetah-v5", "mujoco", "17 float64", "6 float32", 1000]`."""
        spaces = _notation(self.observation), _notation(self.action)
        return json.dumps([self.id, self.family, *spaces, self.max_episode_steps])

    @classmethod
    def from_row(cls, suite: str, row: list[Any]) -> "EnvironmentEntry":
        id, family, observation, action, limit = row
        return cls(
            suite=suite,
            id=id,
            family=family,
            observation=_space(observation),
            action=_space(action),
            max_episode_steps=limit,
        )


def _notation(space: Space) -> str:
    match space.kind:
        case "box":
            return f"{'x'.join(map(str, space.shape)) or 'scalar'} {space.dtype}"
        case "discrete":
            return f"discrete {space.n}"
        case "other":
            return "other"


def _space(notation: str) -> Space:
    match notation.split():
        case ["other"]:
            return COMPOSITE
        case ["discrete", n]:
            return discrete(int(n))
        case ["scalar", dtype]:
            return box((), dtype)
        case [shape, dtype]:
            return box(tuple(map(int, shape.split("x"))), dtype)
        case _:
            raise ValueError(f"'{notation}' is no space; run `python -m phylon.worker.environments.catalogue`")
