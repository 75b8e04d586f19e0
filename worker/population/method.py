"""What a population method is: it looks at how well members do and answers with a plan. It moves no weights itself."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol

from phylon.contract.events import Operator
from phylon.spec.evolving import CopySpec
from phylon.worker.core.types import AnyArray, Array, Hyperparams, Key

MethodState = Any
"""What a method remembers between two evolutions: a tree of arrays."""


class PopulationScores(NamedTuple, Generic[AnyArray]):
    """How well the members do when they evolve, [P] being their axis."""

    step: AnyArray
    """int32: environment steps of each member."""
    fitness: AnyArray
    """[P], to be maximised; NaN is worse than anything."""
    returns: AnyArray
    """[P, episodes]: the episodes of the latest evaluation."""
    was_reset: AnyArray | bool = False
    """bool [P]: its weights were reset since the last evolution, so what it gained since then is not what it learned
    in the interval. False: nobody's were."""


AS_IT_IS, ALL_NEW = (1.0, 0.0), (0.0, 1.0)
"""What becomes of a member's weights: the share of them that is kept, and that of newly drawn ones which is added."""


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
    explored_from: Mapping[str, AnyArray] | None = None
    """float32 [P] for each name: the values that exploration began with; `None` where those are the parents'."""
    renewal: AnyArray | None = None
    """float32 [P, 2], for a method that renews everyone's weights at times, after they were copied: `AS_IT_IS` for all,
    or other shares for all, of which `ALL_NEW` renews optimisers and all else, too."""


class Birth(NamedTuple):
    """How a slot came to begin a new span of lineage."""

    operator: Operator
    changes: dict[str, str]
    """What was done to each tuned hyper-parameter."""
    parent: int | None = None
    """The slot that it descends from, where that is not the one whose weights it was given."""


class InitFn(Protocol):
    def __call__(self, key: Key, hyperparams: Hyperparams) -> MethodState: ...


class EvolveFn(Protocol):
    """Pure and jittable."""

    def __call__(
        self, key: Key, method_state: MethodState, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]: ...


class DescribeFn(Protocol):
    """For each slot its birth, or None where its span goes on. Host side."""

    def __call__(self, evolution: Evolution[Any]) -> list[Birth | None]: ...


class WeightSearch(NamedTuple):
    """For a method that makes weights itself. Pure and jittable; what it remembers is kept in checkpoints."""

    begin: Callable[[Key, Any], tuple[Any, Any]]
    """(key, founders) -> (search state, population)."""
    breed: Callable[[Key, Any, Any, PopulationScores[Array]], tuple[Any, Any]]
    """(key, search state, population, scores) -> the same two, after each evolution."""
    centre: Callable[[Any, Any], Any]
    """(search state, population) -> a population in which every slot holds the search's best guess."""
    deviation: Callable[[Any], Array]
    """(search state) -> how far apart draws are: the standard deviation of a weight, over all weights."""


class PopulationMethod(NamedTuple):
    init: InitFn
    evolve: EvolveFn
    describe: DescribeFn
    copying: CopySpec = CopySpec()
    """What a slot takes over from its parent."""
    search: WeightSearch | None = None
    hyperparams: Mapping[str, float] = MappingProxyType({})
    """Numbers of the method's own that travel with the algorithm's, by name: what every member begins with."""
    reported: tuple[str, ...] = ()
    """Metrics of the latest updates that belong to the reasons of a birth."""
    is_ready: Callable[[MethodState, int], bool] | None = None
    """(method state, step) -> whether it evolves here; None for methods that do so at each interval. Host side."""
