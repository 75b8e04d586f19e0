"""The parts of a composite observation: in the catalogue, in the engine and on a policy's card.

A plain dataclass, because a policy acts with NumPy alone; pydantic's models of the contract hold it as it is.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Part:
    """One array of a composite observation, and how it becomes numbers of the vector that members see."""

    __pydantic_config__ = {"use_attribute_docstrings": True}  # noqa: RUF012, the name and form are pydantic's

    path: tuple[str | int, ...]
    """Keys of dictionaries and places of tuples that lead to it; none where the observation is this array."""
    kind: Literal["box", "discrete", "multi_binary"]
    """Numbers as they are; choices, each as a one-hot row; zeros and ones."""
    shape: tuple[int, ...]
    """() where it is a single number."""
    dtype: str
    counts: tuple[int, ...]
    """How many values each choice has, row by row; none for numbers."""
    starts: tuple[int, ...]
    """The first value of each choice."""

    @property
    def size(self) -> int:
        """Its numbers in the vector."""
        return sum(self.counts) if self.kind == "discrete" else math.prod(self.shape)

    @property
    def is_image(self) -> bool:
        """[height, width, channels] of bytes, which the vector holds as shares of 255."""
        return self.kind == "box" and self.dtype == "uint8" and len(self.shape) == 3

    def describe(self) -> str:
        form = "x".join(map(str, self.shape)) or "1"
        match self.kind:
            case "box":
                what = f"{form} {self.dtype}"
            case "discrete":
                what = f"one of {' and of '.join(map(str, self.counts))}"
            case "multi_binary":
                what = f"{form} zeros and ones"
        return f"{'.'.join(map(str, self.path))}: {what}" if self.path else what


def part_from_json(part: Mapping[str, Any]) -> Part:
    path, shape, counts, starts = (tuple(part[name]) for name in ("path", "shape", "counts", "starts"))
    return Part(path, part["kind"], shape, part["dtype"], counts, starts)
