"""The engine's types. Everything here is written for ONE member; the population axis belongs to `execution`."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import jax

from phylon.policy.parts import Part
from phylon.registry.descriptions import Experience, StateDescription

Array = jax.Array
Key = jax.Array
"""A typed random key (`jax.random.key`)."""

Params = Any
"""Weights: a tree of arrays."""

State = Any
"""All that an algorithm keeps between updates: a NamedTuple of trees of arrays that each algorithm defines."""

Hyperparams = dict[str, Array]
"""A float32 scalar for EVERY tunable field of the algorithm's spec, whether the spec fixes it or not."""

Metrics = dict[str, Array]

Batch = Any
"""What one update learns from, as the algorithm says: a `Transition` or `NStepTransition` [batch, ...], or a `Rollout`
[steps, envs, ...]."""

AnyArray = TypeVar("AnyArray")


class Transition(NamedTuple, Generic[AnyArray]):
    """A batch of experience, in arrays of the device or of the host."""

    obs: AnyArray
    action: AnyArray
    reward: AnyArray
    terminated: AnyArray
    """float32, 0 or 1. A step that was only truncated has 0: its value is bootstrapped. In between where a transition
    stands for several steps (`learning/n_step.py`): 1 minus the share of the bootstrap that is left."""
    next_obs: AnyArray
    """The true observation after the step, never that of the next episode."""


class NStepTransition(NamedTuple, Generic[AnyArray]):
    """Up to n consecutive steps of one episode."""

    obs: AnyArray
    """The first one's, and so is the action."""
    action: AnyArray
    reward: AnyArray
    """[..., n], 0 beyond the last step."""
    terminated: AnyArray
    """Whether the last step ended the episode."""
    next_obs: AnyArray
    """The last one's: what is bootstrapped from."""
    steps: AnyArray
    """float32, 1 to n."""


class EnvironmentInfo(NamedTuple):
    """What an algorithm needs to know about an environment. Continuous actions are always normalised to [-1, 1]."""

    observation_shape: tuple[int, ...]
    action_size: int
    """Length of a continuous action, or the number of discrete ones, of all choices together."""
    max_episode_steps: int | None
    is_discrete: bool = False
    """Actions are whole numbers below `action_size`: int32, without a last axis."""
    observation_dtype: str = "float32"
    """`uint8` for images, which stay so until they are on the device."""
    envs_per_member: int = 1
    """Environments in which a member collects its rollouts."""
    frame_stack: int = 1
    """How many frames an observation is made of, along its last axis, the newest last: each step adds one."""
    action_counts: tuple[int, ...] = ()
    """The values of each choice, where an action is several choices at once: int32 [choices]."""
    observation_parts: tuple[Part, ...] = ()
    """What a composite observation is made of; members see it as one vector."""

    @property
    def has_choices(self) -> bool:
        """Whether actions are whole numbers: one, or several at once."""
        return self.is_discrete or bool(self.action_counts)

    @property
    def action_shape(self) -> tuple[int, ...]:
        return () if self.is_discrete else (len(self.action_counts) or self.action_size,)

    @property
    def action_dtype(self) -> str:
        return "int32" if self.has_choices else "float32"


class InitFn(Protocol):
    """A new member."""

    def __call__(self, key: Key, hyperparams: Hyperparams) -> State: ...


class ActFn(Protocol):
    """Actions for observations [envs, ...]. `explore` is static; without it there is no noise.

    Continuous actions are in [-1, 1], but for those of a stochastic policy with unbounded samples (PPO) while it
    explores: a rollout has to hold the sample itself, whose density the update needs, so environments clip.
    """

    def __call__(self, state: State, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array: ...


class UpdateFn(Protocol):
    """One gradient step on a batch, or all that are made of one rollout. Metrics are scalars.

    Pure; `init`, `act` and `update` together use every hyper-parameter.
    """

    def __call__(self, state: State, hyperparams: Hyperparams, batch: Batch, key: Key) -> tuple[State, Metrics]: ...


class ScheduleFn(Protocol):
    """Hyper-parameters as the update with this number uses them, and those that differ from the given ones as metrics.

    Numbers count the updates of the whole run. For one member, or for arrays [P] of hyper-parameters.
    """

    def __call__(self, hyperparams: Hyperparams, number: Array) -> tuple[Hyperparams, Metrics]: ...


def as_given(hyperparams: Hyperparams, number: Array) -> tuple[Hyperparams, Metrics]:
    del number
    return hyperparams, {}


class Rollout(NamedTuple, Generic[AnyArray]):
    """Consecutive experience of one member, [steps, envs, ...], collected by the policy from before the update."""

    transitions: Transition[AnyArray]
    truncated: AnyArray
    """float32, 0 or 1: the episode was cut off here but not terminated, so its value is bootstrapped."""


class Algorithm(NamedTuple):
    """An algorithm that learns from a rollout takes a `Rollout` as its batch, and one update uses it up."""

    init: InitFn
    act: ActFn
    update: UpdateFn
    learns_from: Experience = "replay"
    layout: StateDescription = StateDescription()
    """What the fields of the state are. `build_algorithm` fills both in from the algorithm's description."""
    cut_episodes: Callable[[State], State] | None = None
    """(state, in host memory) -> the state when environments restart in the middle of their episodes; for algorithms
    that remember something of the episodes under way."""
    schedule: ScheduleFn = as_given
    """Applied by the caller of `update`."""

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
    """(keys [P], hyper-parameters [P]) -> a new population."""
    update: Callable[[Joint, Hyperparams, Transition[Array], Key], tuple[Joint, Metrics]]
    """(population, hyper-parameters [P], transitions [learners, batch, ...], keys [learners]) -> one gradient step of
    what is shared and of each learner. Metrics are [P], NaN where a member does not learn."""
    learners: int
    """How many members take gradient steps: those in the first slots."""
