"""What a network is to the rest of the engine: two pure functions and a tree of weights."""

from collections.abc import Callable
from typing import Generic, NamedTuple

from typing_extensions import TypeVar  # with a default, as Python has from 3.13 on

from phylon.worker.core.types import Array, Key, Params

Output = TypeVar("Output", default=Array)


class Network(NamedTuple, Generic[Output]):
    """Names of layers are kept in checkpoints, and a description names those from which outputs come."""

    init: Callable[[Key], Params]
    apply: Callable[..., Output]
    """(params, *inputs) -> outputs; leading axes of the inputs are batch axes."""
