"""What a population method is: it looks at fitness and answers with a plan. It moves no weights itself."""

from typing import Any, NamedTuple, Protocol

from worker.core.types import Array, Hyperparams, Key

MethodState = Any
"""What a method remembers between two evolutions: a tree of arrays."""


class Evolution(NamedTuple):
    """A plan for the whole population, [P] being its axis."""

    method_state: MethodState
    parents: Array
    """int32 [P]: the slot whose weights each slot goes on with; `parents[i] == i` lives on."""
    hyperparams: Hyperparams
    """float32 [P] for each name; a member that lives on keeps its values."""
    changes: dict[str, Array]
    """int32 [P] for each tuned name: codes that the method's `describe` spells out."""
    reasons: dict[str, Array] = {}  # noqa: RUF012 - never written to
    """float32 [P] each: numbers that explain the plan, NaN where they do not apply to a slot."""


class InitFn(Protocol):
    def __call__(self, key: Key, hyperparams: Hyperparams) -> MethodState: ...


class EvolveFn(Protocol):
    """Pure and jittable. Fitness [P] is to be maximised; NaN is worse than anything."""

    def __call__(self, key: Key, method_state: MethodState, hyperparams: Hyperparams, fitness: Array) -> Evolution: ...


class DescribeFn(Protocol):
    """For each slot what was done to each tuned hyper-parameter; nothing for a member that lives on. Host side."""

    def __call__(self, evolution: Evolution) -> list[dict[str, str]]: ...


class PopulationMethod(NamedTuple):
    init: InitFn
    evolve: EvolveFn
    describe: DescribeFn
