"""What a network is to the rest of the engine: two pure functions and a tree of weights."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar  # with a default, as Python has from 3.13 on

from phylon.worker.core.types import Array, Key, Params

Output = TypeVar("Output", default=Array)


class Network(NamedTuple, Generic[Output]):
    """By convention the layers from which outputs come have names that begin with `output`."""

    init: Callable[[Key], Params]
    apply: Callable[..., Output]
    """(params, *inputs) -> outputs; leading axes of the inputs are batch axes."""


def is_last(path: tuple[Any, ...]) -> bool:
    """Whether a weight belongs to a last layer, by its path of dictionary keys. A bare array is its own last layer."""
    names = [str(entry.key) for entry in path]
    return not names or any(name.startswith("output") for name in names)
