"""What an execution strategy is: how the functions of one member are run for a whole population.

A *population* is a member's state with a leading axis [P] on every leaf, or a `Joint` where members share a part. All
strategies give the same numbers up to the rounding of floats; they differ in where members live and in what order their
work is done.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.keys import member_keys
from phylon.worker.core.types import Algorithm, EnvironmentInfo, Hyperparams, Key, Metrics, Transition

Population = Any
"""A tree of arrays with a leading member axis [P]."""

StrategyName = Literal["sequential", "parallel", "vectorized", "sharded"]

FloatArray = NDArray[np.float32]


class Device(Protocol):
    """What we read of a JAX device; its own class is closed to type checkers."""

    platform: str
    device_kind: str


KeyWords = NDArray[np.uint32]
"""A random key as two plain words; typed keys take the slow path into a compiled program."""


class EvaluationPolicy(NamedTuple):
    """How members act while they are evaluated."""

    is_sampled: bool = False
    """By a sample of a stochastic policy, instead of its mode."""
    epsilon: float = 0.0
    """How likely a discrete action is replaced by one of all, drawn uniformly."""


WITHOUT_CHANCE = EvaluationPolicy()


@dataclass(frozen=True)
class Workload:
    """What is to be run, whatever the strategy."""

    recipe: Callable[[], Algorithm]
    """Builds the algorithm. It can be pickled, so other processes can build the same."""
    info: EnvironmentInfo
    population_size: int
    """Of the members that are here."""
    hyperparams: dict[str, float]
    """Every hyper-parameter by name, with a typical value, which is good for timing only."""
    evaluation: EvaluationPolicy = WITHOUT_CHANCE
    first: int = 0
    """The slot of the first member here, where others are in other processes."""

    @cached_property
    def algorithm(self) -> Algorithm:
        return self.recipe()

    def hyperparams_shape(self) -> dict[str, jax.ShapeDtypeStruct]:
        return {name: jax.ShapeDtypeStruct((self.population_size,), jnp.float32) for name in self.hyperparams}

    def population_shape(self) -> Population:
        """Shapes and types of a population's leaves; nothing is computed."""

        def init(hyperparams: Hyperparams) -> Population:
            return jax.vmap(self.algorithm.init)(member_keys(jax.random.key(0), self.population_size), hyperparams)

        return jax.eval_shape(init, self.hyperparams_shape())

    def keys(self, key: Key) -> Key:
        """One for each member here, by its slot."""
        return member_keys(key, self.population_size, self.first)


class Report(NamedTuple):
    """What a block of updates reports per member, [P]."""

    metrics: Metrics
    """Means over the block."""
    hyperparams: Hyperparams
    """The values that the compiled program used, which are compared with the planned ones."""


Policies = list[jax.Array]
"""What acting reads of a population and its hyper-parameters, [P, ...] each: no critics, no optimisers."""


class Actor(NamedTuple):
    """The members' current policies. Not valid after the next update."""

    policies: Policies
    """Where the members live."""
    explore: Callable[[FloatArray, KeyWords], FloatArray]
    """(observations [P, envs, ...], keys [P, 2]) -> actions [P, envs, action]."""
    exploit: Callable[[FloatArray, KeyWords, int], FloatArray]
    """(observations [P, episodes, ...], keys [P, 2], step of the episodes) -> actions as evaluation wants them."""


class Acting(NamedTuple):
    """How members act: from the host through an `Actor`, or inside a program by pure functions of their policies."""

    actor: Callable[[Population, Hyperparams], Actor]
    keys: Callable[[KeyWords, int, int], KeyWords]
    """(run key, segment, count) -> [count, P, 2]: the exploration keys of a segment."""
    explore: Callable[[Policies, jax.Array, jax.Array], jax.Array]
    """(policies, observations [P, envs, ...], keys [P, 2]) -> actions [P, envs, ...]; of all members or some."""
    exploit: Callable[[Policies, jax.Array, jax.Array, jax.Array], jax.Array]
    """(policies, observations [P, episodes, ...], keys [P, 2], step of the episodes) -> actions; of all members or
    some. The keys are those of the whole evaluation, and the step is folded into them. Where `EvaluationPolicy` leaves
    nothing to chance they are not read."""


class InitFn(Protocol):
    def __call__(self, key: KeyWords, hyperparams: Hyperparams) -> Population: ...


class UpdateFn(Protocol):
    """Batches [P, updates, batch, ...] → that many updates per member in one compiled program.

    `place_batches` has placed them. The population passed in is used up: its memory becomes that of the result.
    Randomness follows from the key, the slot and the number of the update, of which `first` is the first: how updates
    are divided into calls makes no difference.
    """

    def __call__(
        self, population: Population, hyperparams: Hyperparams, batches: Transition[Any], key: KeyWords, first: int
    ) -> tuple[Population, Report]: ...


LearnFn = Callable[[Population, Hyperparams, Any, Key, jax.Array], tuple[Population, Report]]
"""(population, hyper-parameters, batches, keys, numbers of the first updates) -> what an update gives. A pure function
of all members, or of those of one device, that larger programs contain. Keys [members]: `members.learning_keys`."""

GatherFn = Callable[[Population, NDArray[np.int32]], Population]
"""(population, parents [P]) -> the population in which slot i holds what slot parents[i] held."""


class Strategy(NamedTuple):
    """What distinguishes one way of running a population from another."""

    devices: tuple[Device, ...]
    place: Callable[[Any], Any]
    """Moves a tree of arrays [P, ...] to where the members live."""
    update: UpdateFn
    gather: GatherFn
    learn: LearnFn | None = None
    """None where members learn in processes of their own, as one, or on devices that do not divide them."""
    place_batches: Callable[[Any], Any] | None = None
    """Moves what an update learns from, [P, ...], to where it is read, if that is not where `place` moves trees."""
    detail: str = ""
    """How it is set up here, to follow its name: `over 2 devices`."""
    close: Callable[[], None] = lambda: None
    """Ends the strategy's processes, if any; it cannot update afterwards."""


class Execution(NamedTuple):
    """A strategy, and what is the same for all strategies."""

    strategy: StrategyName
    description: str
    """Its name and how it is set up here: `sharded over 2 devices`."""
    devices: tuple[Device, ...]
    shape: Population
    """Shapes and types of a population's leaves."""
    place: Callable[[Any], Any]
    place_batches: Callable[[Any], Any]
    """The same for what an update learns from."""
    init: InitFn
    acting: Acting
    update: UpdateFn
    learn: LearnFn | None
    gather: GatherFn
    close: Callable[[], None]


def make_execution(
    name: StrategyName, strategy: Strategy, shape: Population, init: InitFn, acting: Acting
) -> Execution:
    return Execution(
        strategy=name,
        description=f"{name} {strategy.detail}".strip(),
        devices=strategy.devices,
        shape=shape,
        place=strategy.place,
        place_batches=strategy.place_batches or strategy.place,
        init=init,
        acting=acting,
        update=strategy.update,
        learn=strategy.learn,
        gather=strategy.gather,
        close=strategy.close,
    )
