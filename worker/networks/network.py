"""What a network is to the rest of the engine: two pure functions and a tree of weights."""

from collections.abc import Callable
from typing import NamedTuple

from worker.core.types import Array, Key, Params


class Network(NamedTuple):
    init: Callable[[Key], Params]
    apply: Callable[..., Array]
    """(params, *inputs) -> outputs; leading axes of the inputs are batch axes."""
