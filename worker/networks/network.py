"""What a network is to the rest of the engine: two pure functions and a tree of weights."""

from typing import NamedTuple, Protocol

from worker.core.types import Array, Key, Params


class InitFn(Protocol):
    def __call__(self, key: Key) -> Params: ...


class ApplyFn(Protocol):
    def __call__(self, params: Params, *inputs: Array) -> Array: ...


class Network(NamedTuple):
    init: InitFn
    apply: ApplyFn
