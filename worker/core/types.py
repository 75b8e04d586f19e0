"""The engine's vocabulary. Everything here is written for ONE member; the population axis belongs to `execution`."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import jax

from phylon.registry.descriptions import Experience, StateDescription

Array = jax.Array
Key = jax.Array
"""A typed random key (`jax.random.key`)."""

Params = Any
"""Weights: a tree of arrays."""

State = Any
"""All that an algorithm remembers between updates: a NamedTuple of trees of arrays, of each algorithm's own making."""

Hyperparams = dict[str, Array]
"""A float32 scalar for EVERY tunable field of the algorithm's spec, whether the spec fixes it or not."""

Metrics = dict[str, Array]

Batch = Any
"""What one update learns from: a `Transition` [batch, ...] or a `Rollout` [steps, envs, ...], as the algorithm says."""

AnyArray = TypeVar("AnyArray")


class Transition(NamedTuple, Generic[AnyArray]):
    """A batch of experience, in arrays of the device or of the host."""

    obs: AnyArray
    action: AnyArray
    reward: AnyArray
    terminated: AnyArray
    """float32, 0 or 1. A step that was merely truncated has 0: its future goes on."""
    next_obs: AnyArray
    """The true observation after the step, never that of the next episode."""


class EnvironmentInfo(NamedTuple):
    """What an algorithm has to know of an environment. Continuous actions are always normalised to [-1, 1]."""

    observation_shape: tuple[int, ...]
    action_size: int
    """Length of a continuous action, or the number of discrete ones."""
    max_episode_steps: int | None
    is_discrete: bool = False
    """Actions are whole numbers below `action_size`: int32, without a last axis."""
    observation_dtype: str = "float32"
    """`uint8` for images, which stay so until they are on the device."""
    envs_per_member: int = 1
    """Environments that a member gathers its rollouts in."""
    frame_stack: int = 1
    """How many frames an observation is made of, along its last axis, the newest last: each step adds one."""

    @property
    def action_shape(self) -> tuple[int, ...]:
        return () if self.is_discrete else (self.action_size,)

    @property
    def action_dtype(self) -> str:
        return "int32" if self.is_discrete else "float32"


class InitFn(Protocol):
    """A fresh member."""

    def __call__(self, key: Key, hyperparams: Hyperparams) -> State: ...


class ActFn(Protocol):
    """Actions for observations [envs, ...]. `explore` is static; without it there is no noise.

    Continuous actions are in [-1, 1], but for those of a stochastic policy with unbounded samples (PPO) while it
    explores: a rollout has to hold the sample itself, whose density the update asks for, so environments clip.
    """

    def __call__(self, state: State, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array: ...


class UpdateFn(Protocol):
    """One gradient step on a batch, or all that are made of one rollout. Metrics are scalars.

    Pure; `init`, `act` and `update` together use every hyper-parameter.
    """

    def __call__(self, state: State, hyperparams: Hyperparams, batch: Batch, key: Key) -> tuple[State, Metrics]: ...


class Rollout(NamedTuple, Generic[AnyArray]):
    """Consecutive experience of one member, [steps, envs, ...], gathered by the policy as it is before the update."""

    transitions: Transition[AnyArray]
    truncated: AnyArray
    """float32, 0 or 1: the episode was cut here though it could have gone on, so its value is bootstrapped."""


class Algorithm(NamedTuple):
    """An algorithm that learns from a rollout takes a `Rollout` for a batch, and one update uses it up."""

    init: InitFn
    act: ActFn
    update: UpdateFn
    learns_from: Experience = "replay"
    layout: StateDescription = StateDescription()
    """What the fields of the state are. `build_algorithm` fills both in from the algorithm's description."""

    @property
    def parts(self) -> Mapping[str, tuple[str, ...]]:
        """What can be reset: the fields of the state that belong to each part."""
        return self.layout.parts

    @property
    def policy(self) -> tuple[str, ...]:
        """The fields of the state that make up a policy that can be copied without its critics; none if it cannot."""
        return self.layout.policy


class Joint(NamedTuple):
    """A population whose members share a part of what they learn."""

    members: State
    """What is each member's own, with a leading axis [P] on every leaf."""
    shared: State
    """What belongs to all of them."""


class JointAlgorithm(NamedTuple):
    """A population learns as one. Its members act as those of the plain algorithm do, each by its own part."""

    init: Callable[[Key, Hyperparams], Joint]
    """(keys [P], hyper-parameters [P]) -> a fresh population."""
    update: Callable[[Joint, Hyperparams, Transition[Array], Key], tuple[Joint, Metrics]]
    """(population, hyper-parameters [P], transitions [learners, batch, ...], keys [learners]) -> one gradient step of
    what is shared and of each learner. Metrics are [P], NaN where a member does not learn."""
    learners: int
    """How many members take gradient steps: those in the first slots."""
