"""What an execution strategy is: how the functions of one member are run for a whole population.

A *population* is a member's state with a leading axis [P] on every leaf, or a `Joint` where members share a part. Every
strategy gives the same numbers up to the rounding of floats; they differ in where members live and in what order their
work is done.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.keys import member_keys
from phylon.worker.core.types import Algorithm, EnvironmentInfo, Hyperparams, Metrics, Transition

Population = Any
"""A tree of arrays with a leading member axis [P]."""

StrategyName = Literal["sequential", "parallel", "vectorized", "sharded"]

FloatArray = NDArray[np.float32]


class Device(Protocol):
    """What we look at in a JAX device; its own class is closed to type checkers."""

    platform: str
    device_kind: str


KeyWords = NDArray[np.uint32]
"""A random key as two plain words; typed keys take the slow path into a compiled program."""


class Workload(NamedTuple):
    """What is to be run, whatever the strategy."""

    recipe: Callable[[], Algorithm]
    """Builds the algorithm. It can be pickled, so other processes can build the same."""
    info: EnvironmentInfo
    population_size: int
    hyperparams: dict[str, float]
    """Every hyper-parameter by name, with a typical value: good for measuring, and for nothing else."""

    @property
    def algorithm(self) -> Algorithm:
        return self.recipe()

    def hyperparams_shape(self) -> dict[str, jax.ShapeDtypeStruct]:
        return {name: jax.ShapeDtypeStruct((self.population_size,), jnp.float32) for name in self.hyperparams}

    def population_shape(self) -> Population:
        """Shapes and types of a population's leaves; nothing is computed."""

        def init(hyperparams: Hyperparams) -> Population:
            return jax.vmap(self.algorithm.init)(member_keys(jax.random.key(0), self.population_size), hyperparams)

        return jax.eval_shape(init, self.hyperparams_shape())


class Report(NamedTuple):
    """What a block of updates tells of each member, [P]."""

    metrics: Metrics
    """Means over the block."""
    hyperparams: Hyperparams
    """The values that the compiled program worked with: what the proof of mutation compares with the plan."""


Policies = list[jax.Array]
"""What acting reads of a population and its hyper-parameters, [P, ...] each: no critics, no optimisers."""


class Acting(NamedTuple):
    """How members act, as functions that can be part of a program: of all members, or of some of them."""

    read: Callable[[Population, Hyperparams], Policies]
    explore: Callable[[Policies, jax.Array, jax.Array], jax.Array]
    """(policies, observations [P, envs, ...], keys [P, 2]) -> actions [P, envs, ...]."""
    exploit: Callable[[Policies, jax.Array], jax.Array]


class Actor(NamedTuple):
    """The members' policies as they are now. Of no use after the next update."""

    policies: Policies
    """Where the members live."""
    explore: Callable[[FloatArray, KeyWords], FloatArray]
    """(observations [P, envs, ...], keys [P, 2]) -> actions [P, envs, action]."""
    exploit: Callable[[FloatArray], FloatArray]
    """The policies' best guesses, without noise."""


class InitFn(Protocol):
    def __call__(self, key: KeyWords, hyperparams: Hyperparams) -> Population: ...


class UpdateFn(Protocol):
    """Batches [P, updates, batch, ...] → that many updates of each member in one compiled program.

    The population that is given is used up: its memory becomes that of the result. Randomness follows from the key, the
    slot, and the updates' own numbers, of which the first is given: how updates are shared out to calls makes no
    difference.
    """

    def __call__(
        self, population: Population, hyperparams: Hyperparams, batches: Transition[Any], key: KeyWords, first: int
    ) -> tuple[Population, Report]: ...


GatherFn = Callable[[Population, NDArray[np.int32]], Population]
"""(population, parents [P]) -> the population in which slot i holds what slot parents[i] held."""


class Strategy(NamedTuple):
    """What tells one way of running a population from another."""

    devices: tuple[Device, ...]
    place: Callable[[Any], Any]
    """Move a tree of arrays [P, ...] to where the members live."""
    update: UpdateFn
    gather: GatherFn
    detail: str = ""
    """How it goes about it here, to follow its name: `over 2 devices`."""
    close: Callable[[], None] = lambda: None


class Execution(NamedTuple):
    strategy: StrategyName
    devices: tuple[Device, ...]
    learners: int
    """How many members learn by gradients: those in the first slots, and all of them but for some joint methods."""
    shape: Callable[[], Population]
    """Shapes and types of a population's leaves; nothing is computed."""
    place: Callable[[Any], Any]
    init: InitFn
    acting: Acting
    actor: Callable[[Population, Hyperparams], Actor]
    exploration_keys: Callable[[KeyWords, int, int], KeyWords]
    """(key, segment, count) -> [count, P, 2]: the keys of a segment's acting."""
    update: UpdateFn
    gather: GatherFn
    checksum: Callable[[Population], NDArray[np.uint32]]
    """Two words a member, [P, 2], from every bit of its state and its place; equal members have equal words."""
    detail: str = ""
    close: Callable[[], None] = lambda: None
    """Ends the processes that it has, if any; it cannot update afterwards."""
