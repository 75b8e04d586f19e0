"""What a population method is: it looks at how members stand and answers with a plan. It moves no weights itself."""

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, Protocol

from phylon.events import Operator
from phylon.spec.population import CopySpec
from worker.core.types import AnyArray, Array, Hyperparams, Key

MethodState = Any
"""What a method remembers between two evolutions: a tree of arrays."""


class Standing(NamedTuple, Generic[AnyArray]):
    """How the members do when they evolve, [P] being their axis."""

    step: AnyArray
    """int32: environment steps of each member."""
    fitness: AnyArray
    """[P], to be maximised; NaN is worse than anything."""
    returns: AnyArray
    """[P, episodes]: the episodes of the latest evaluation."""


class Evolution(NamedTuple, Generic[AnyArray]):
    """A plan for the whole population."""

    method_state: MethodState
    parents: AnyArray
    """int32 [P]: the slot whose weights each slot goes on with; `parents[i] == i` keeps its own."""
    hyperparams: Mapping[str, AnyArray]
    """float32 [P] for each name."""
    changes: Mapping[str, AnyArray]
    """int32 [P] for each tuned name: codes that the method's `describe` spells out."""
    reasons: Mapping[str, AnyArray] | None = None
    """float32 [P]: what the method knew when it decided; NaN where it does not apply."""


class Birth(NamedTuple):
    """How a slot came to begin a new segment of lineage."""

    operator: Operator
    changes: dict[str, str]
    """What was done to each tuned hyper-parameter."""


class InitFn(Protocol):
    def __call__(self, key: Key, hyperparams: Hyperparams) -> MethodState: ...


class EvolveFn(Protocol):
    """Pure and jittable."""

    def __call__(
        self, key: Key, method_state: MethodState, hyperparams: Hyperparams, standing: Standing[Array]
    ) -> Evolution[Array]: ...


class DescribeFn(Protocol):
    """For each slot its birth, or None where its segment goes on. Host side."""

    def __call__(self, evolution: Evolution[Any]) -> list[Birth | None]: ...


class PopulationMethod(NamedTuple):
    init: InitFn
    evolve: EvolveFn
    describe: DescribeFn
    copying: CopySpec = CopySpec()
    """What a slot takes over from its parent."""
