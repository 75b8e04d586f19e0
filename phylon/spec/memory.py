"""What a population takes of a worker's memory: the forecast of a spec, and the sizes that the engine follows.

On the device lie the members' states (weights, targets, optimisers), the batches of two calls at most, and what a
gradient step needs meanwhile; in host memory the replay and the batches on their way. States, batches and replay are
exact. What a gradient step needs is an estimate; with it a compiled program has been forecast to within a tenth of what
XLA says. Environments and libraries are not counted.
"""

import math
from typing import NamedTuple

from phylon import catalogue
from phylon.catalogue import EnvironmentEntry
from phylon.spec.algorithms import DDPGSpec, DQNSpec, DrACSpec, PPOSpec, SACSpec, SurrogateAscentSpec, TD3Spec
from phylon.spec.algorithms.toy import TriangleClimbSpec
from phylon.spec.cem_rl import CEMRLSpec, members_of_share
from phylon.spec.dvd import DvDSpec
from phylon.spec.experiment import ExperimentSpec
from phylon.spec.segments import segment_steps, segment_updates, updates_at_once
from phylon.spec.weights import NOTHING, Size, action_size, dueling, mlp, with_torso

NUMBER_BYTES = 4
FRAME_NUMBER_BYTES = 8


class Share(NamedTuple):
    """Bytes on the device and in host memory."""

    device: int
    host: int


class PopulationMemory(NamedTuple):
    """What a population takes follows from its size, and from how many members learn at the same time."""

    fixed: Share
    """What members share: a replay, a critic."""
    state: int
    """Of a member on the device: weights, targets, optimisers."""
    batches: int
    """Of a member on the device, and once more on their way to it."""
    step: int
    """On the device, for each member that learns at this time."""
    ring: int
    """A member's own replay, in host memory."""

    def of(self, size: int, at_once: int | None = None) -> Share:
        """At its peak; without `at_once` all members learn at the same time.

        Selection makes the new states beside the old ones, when there are no batches.
        """
        learning = size * self.batches + min(size, at_once or size) * self.step
        return Share(
            device=self.fixed.device + size * self.state + max(size * self.state, learning),
            host=self.fixed.host + size * (self.ring + self.batches),
        )


class Learner(NamedTuple):
    """What one member learns with; the second part is everybody's where members share a critic."""

    own: Size
    own_state: int
    critic: Size = NOTHING
    critic_state: int = 0


def population_memory(spec: ExperimentSpec) -> PopulationMemory:
    """Where members share a critic, or only some of them learn by gradients, a member's share is a mean."""
    learner = learner_of(spec)
    is_joint = isinstance(spec.population.method, CEMRLSpec | DvDSpec)
    networks, share = learner.own + learner.critic, _learners(spec) / spec.population.size
    batches = round(share * batch_bytes(spec))
    copies = networks.weights // 4  # a CPU transposes one layer at a time
    passes = networks.weights + copies + _looks(spec) * batch_rows(spec) * networks.activations
    is_shared, rings = spec.replay is not None and spec.replay.sharing == "shared", replay_bytes(spec)
    return PopulationMemory(
        fixed=Share(learner.critic_state if is_joint else 0, rings if is_shared else 0),
        state=learner.own_state + (0 if is_joint else learner.critic_state),
        batches=batches,
        # a program puts its batches into another order
        step=round(share * (call_bytes(spec) + _numbers(passes))),
        ring=0 if is_shared else rings // spec.population.size,
    )


def members_at_once(spec: ExperimentSpec, cores: int, is_cpu: bool) -> int | None:
    """How many members learn at the same time; None for all. `auto` tries strategies of which one takes all at once."""
    match spec.execution.strategy:
        case "sequential":
            return 1
        case "vectorized":
            return spec.execution.chunk
        case "sharded":
            return cores if is_cpu else None
        case "parallel":
            return spec.execution.processes or cores
        case "auto":
            return None


def _looks(spec: ExperimentSpec) -> int:
    """DrAC looks at images and at their augmentations. That members compute every way of augmenting costs as much."""
    return 3 if isinstance(spec.algorithm, DrACSpec) else 1


def _learners(spec: ExperimentSpec) -> int:
    method, size = spec.population.method, spec.population.size
    return members_of_share(size, method.trained) if isinstance(method, CEMRLSpec) else size


def state_bytes(spec: ExperimentSpec) -> int:
    """Of one member that shares nothing."""
    learner = learner_of(spec)
    return learner.own_state + learner.critic_state


def learner_of(spec: ExperimentSpec) -> Learner:
    """A state's scalars are counted too: steps of optimisers, losses that are shown again, temperatures."""
    entry = _entry(spec)
    observation, actions = entry.observation.shape, action_size(entry)
    match spec.algorithm:
        case TD3Spec() | DDPGSpec() as algorithm:
            inputs = math.prod(observation)
            critics = algorithm.critics if isinstance(algorithm, TD3Spec) else 1
            policy = mlp(algorithm.network, inputs, actions)
            critic = mlp(algorithm.network, inputs + actions, 1).times(critics)
            scalars = 1 if isinstance(algorithm, TD3Spec) else 0  # of each: the policy's loss, the critic's steps
            return Learner(
                policy, _numbers(4 * policy.weights + 1 + scalars), critic, _numbers(4 * critic.weights + 1 + scalars)
            )
        case SACSpec() as algorithm:
            inputs = math.prod(observation)
            policy = mlp(algorithm.network, inputs, 2 * actions)
            critic = mlp(algorithm.network, inputs + actions, 1).times(algorithm.critics)
            temperature = 4 if algorithm.temperature == "adaptive" else 0
            return Learner(
                policy, _numbers(3 * policy.weights + 1 + temperature), critic, _numbers(4 * critic.weights + 1)
            )
        case DQNSpec() as algorithm:
            make = dueling if algorithm.dueling else with_torso
            network = make(algorithm.network, observation, actions)
            return Learner(network, _numbers(4 * network.weights + 3))
        case PPOSpec() | DrACSpec() as algorithm:
            if algorithm.torsos == "shared":
                network = with_torso(algorithm.network, observation, actions + 1)
            else:
                network = with_torso(algorithm.network, observation, actions) + with_torso(
                    algorithm.network, observation, 1
                )
            network += Size(0 if entry.action.kind == "discrete" else actions, 0)  # deviations are weights
            scale = 3 + spec.environment.envs_per_member if algorithm.reward_normalisation else 0
            return Learner(network, _numbers(3 * network.weights + 1 + scale))
        case SurrogateAscentSpec():
            return Learner(NOTHING, _numbers(2))
        case TriangleClimbSpec():
            return Learner(NOTHING, _numbers(1))


def batch_rows(spec: ExperimentSpec) -> int:
    """Transitions that a gradient step looks at."""
    match spec.algorithm:
        case TD3Spec() | DDPGSpec() | SACSpec() | DQNSpec() as algorithm:
            return algorithm.batch_size
        case PPOSpec() | DrACSpec() as algorithm:
            return max(1, segment_steps(spec) // algorithm.minibatches)
        case _:
            return 1


def call_bytes(spec: ExperimentSpec) -> int:
    """What a member learns from in a call of the device: its rollout, or the batches of some updates."""
    entry = _entry(spec)
    transition = 2 * _observation_bytes(entry) + _rest_bytes(entry)
    if spec.replay is None:
        return segment_steps(spec) * (transition + NUMBER_BYTES)  # whether an episode was cut
    return updates_at_once(segment_updates(spec), is_cpu=True) * batch_rows(spec) * transition


def batch_bytes(spec: ExperimentSpec) -> int:
    """What is there of it at the same time: that of the call which works, and that of the next one, if there is one."""
    updates = segment_updates(spec)
    return min(2, updates // updates_at_once(updates, is_cpu=True)) * call_bytes(spec)


def frame_slots(capacity: int) -> int:
    """Frames that a replay of stacked frames has room for at first: one a transition, and some to begin episodes."""
    return capacity + capacity // 8


def replay_bytes(spec: ExperimentSpec) -> int:
    """Of one run, when its replay is full; 0 without one.

    Action, reward and the end-of-episode mark are numbers, and so are observations, but for the pixels of images.
    Where an environment stacks its latest frames, each frame is stored once, and the stacks as numbers of frames.
    """
    if spec.replay is None:
        return 0
    entry = _entry(spec)
    capacity, stack, observation = spec.replay.capacity, entry.frame_stack, _observation_bytes(entry)
    ring = capacity * _rest_bytes(entry)
    if stack == 1:
        ring += capacity * 2 * observation
    else:
        ring += capacity * 2 * stack * FRAME_NUMBER_BYTES + frame_slots(capacity) * observation // stack
    rings = 1 if spec.replay.sharing == "shared" else spec.population.size
    return rings * ring


def _entry(spec: ExperimentSpec) -> EnvironmentEntry:
    entry = catalogue.find(spec.environment.suite, spec.environment.id)
    if entry is None:
        raise ValueError(f"a valid spec names a known environment, but {spec.environment.id} is in no catalogue")
    return entry


def _observation_bytes(entry: EnvironmentEntry) -> int:
    return (1 if entry.observation.dtype == "uint8" else NUMBER_BYTES) * math.prod(entry.observation.shape)


def _rest_bytes(entry: EnvironmentEntry) -> int:
    """Action, reward and the mark of a transition."""
    return _numbers(math.prod(entry.action.shape) + 2)


def _numbers(count: int) -> int:
    return NUMBER_BYTES * count
