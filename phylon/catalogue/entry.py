"""One environment of the catalogue, and the short way in which the files write it down."""

import json
from dataclasses import asdict, fields
from typing import Any

from phylon.contract.catalogue import Environment, Space
from phylon.policy.parts import Part, part_from_json
from phylon.registry import suites


def box(shape: tuple[int, ...], dtype: str) -> Space:
    return Space(kind="box", shape=shape, dtype=dtype, n=None, counts=(), parts=())


def discrete(n: int) -> Space:
    return Space(kind="discrete", shape=(), dtype="int32", n=n, counts=(), parts=())


def multi_discrete(counts: tuple[int, ...]) -> Space:
    return Space(kind="multi_discrete", shape=(len(counts),), dtype="int32", n=None, counts=counts, parts=())


def composite(parts: tuple[Part, ...]) -> Space:
    size = sum(part.size for part in parts)
    return Space(kind="composite", shape=(size,), dtype="float32", n=None, counts=(), parts=parts)


OTHER = Space(kind="other", shape=(), dtype="", n=None, counts=(), parts=())
"""What no algorithm here can use: without a fixed size, or numbers without bounds for actions."""


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


def _notation(space: Space) -> str | list[Any]:
    match space.kind:
        case "box":
            return f"{'x'.join(map(str, space.shape)) or 'scalar'} {space.dtype}"
        case "discrete":
            return f"discrete {space.n}"
        case "multi_discrete":
            return f"choices {'x'.join(map(str, space.counts))}"
        case "composite":
            return [list(asdict(part).values()) for part in space.parts]
        case "other":
            return "other"


def _space(notation: str | list[list[Any]]) -> Space:
    if isinstance(notation, list):
        names = [field.name for field in fields(Part)]
        return composite(tuple(part_from_json(dict(zip(names, row, strict=True))) for row in notation))
    match notation.split():
        case ["other"]:
            return OTHER
        case ["discrete", n]:
            return discrete(int(n))
        case ["choices", counts]:
            return multi_discrete(tuple(map(int, counts.split("x"))))
        case ["scalar", dtype]:
            return box((), dtype)
        case [shape, dtype]:
            return box(tuple(map(int, shape.split("x"))), dtype)
        case _:
            raise ValueError(f"'{notation}' is no space; run `python -m phylon.worker.environments.catalogue`")
