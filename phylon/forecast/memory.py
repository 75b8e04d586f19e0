"""What a population takes of a worker's memory: the forecast of a spec, and the sizes that the engine follows.

On the device lie the members' states (weights, targets, optimisers), the batches of two calls at most, and what a
gradient step needs meanwhile; in host memory the replay and the batches on their way. A replay on the device lies there
beside the batches of one call, and the host has nothing of it. States, batches and replay are
exact. What a gradient step needs is an estimate; with it a compiled program has been forecast to within a tenth of what
XLA says. Environments and libraries are not counted.
"""

import math
from typing import NamedTuple

from phylon.catalogue import EnvironmentEntry
from phylon.forecast.sizes import Learner
from phylon.spec.algorithms.n_step import n_step_of
from phylon.spec.algorithms.observations import observations_of
from phylon.spec.entries import entry_of
from phylon.spec.evolving import CopySpec
from phylon.spec.experiment import ExperimentSpec
from phylon.spec.registered import describe_algorithm, describe_method
from phylon.spec.segments import segment_steps, segment_updates, updates_at_once

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
    """Of a member on the device, and once more on their way to it from a replay in host memory."""
    step: int
    """On the device, for each member that learns at this time."""
    ring: int
    """A member's own replay."""
    is_ring_on_device: bool = False
    is_ring_copied: bool = False
    """Whether selection makes new rings beside the old ones; in host memory it does so of the copied ones alone."""

    def of(self, size: int, at_once: int | None = None) -> Share:
        """At its peak; without `at_once` all members learn at the same time.

        Selection makes the new states beside the old ones, when there are no batches.
        """
        learning = size * self.batches + min(size, at_once or size) * self.step
        on_device, on_host = (self.ring, 0) if self.is_ring_on_device else (0, self.ring + self.batches)
        selection = self.state + (on_device if self.is_ring_copied else 0)
        return Share(
            device=self.fixed.device + size * (self.state + on_device) + max(size * selection, learning),
            host=self.fixed.host + size * on_host,
        )

    @property
    def kept(self) -> Share:
        """Of a member, all the time."""
        if self.is_ring_on_device:
            return Share(self.state + self.ring, 0)
        return Share(self.state, self.ring + self.batches)


def population_memory(spec: ExperimentSpec, is_replay_on_device: bool | None = None) -> PopulationMemory:
    """Where members share a critic, or only some of them learn by gradients, a member's share is a mean.

    Unless it is said where the replay lies, it is where the spec says; with `auto` in host memory, since it lies on the
    device only where that has room to spare.
    """
    learner = learner_of(spec)
    is_joint = describe_method(spec.population.method).joint is not None
    looks = describe_algorithm(spec.algorithm).memory.passes
    networks, share = learner.own + learner.critic, _learners(spec) / spec.population.size
    if is_replay_on_device is None:
        is_replay_on_device = spec.replay is not None and spec.replay.placement == "device"
    batches = round(share * (call_bytes(spec) if is_replay_on_device else batch_bytes(spec)))
    copies = networks.weights // 4  # a CPU transposes one layer at a time
    passes = networks.weights + copies + looks * batch_rows(spec) * networks.activations
    copying = getattr(spec.population.method, "copying", None)
    is_shared, rings = spec.replay is not None and spec.replay.sharing == "shared", replay_bytes(spec)
    return PopulationMemory(
        fixed=Share(_bytes(learner.critic_state) if is_joint else 0, rings if is_shared else 0),
        state=_bytes(learner.own_state + (0 if is_joint else learner.critic_state)),
        batches=batches,
        # a program puts its batches into another order
        step=round(share * (call_bytes(spec) + _bytes(passes))),
        ring=0 if is_shared else rings // spec.population.size,
        is_ring_on_device=is_replay_on_device,
        is_ring_copied=isinstance(copying, CopySpec) and copying.replay,
    )


def members_each(spec: ExperimentSpec) -> int:
    """How many members the host with the most of them learns. Where they learn as one, each host learns all."""
    if describe_method(spec.population.method).joint is not None:
        return spec.population.size
    return -(-spec.population.size // spec.resources.hosts)


CARD_PROCESSES = 4
"""That share a card where a spec does not say how many processes of `parallel` there are."""


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


def _learners(spec: ExperimentSpec) -> int:
    joint, size = describe_method(spec.population.method).joint, spec.population.size
    return joint.learners(spec.population.method, size) if joint else size


def state_bytes(spec: ExperimentSpec) -> int:
    """Of one member that shares nothing."""
    learner = learner_of(spec)
    return _bytes(learner.own_state + learner.critic_state)


def learner_of(spec: ExperimentSpec) -> Learner:
    memory, entry = describe_algorithm(spec.algorithm).memory, _entry(spec)
    learner = memory.learner(spec.algorithm, entry, spec.environment.envs_per_member)
    if not observations_of(spec.algorithm).normalise:
        return learner
    statistics = 1 + 2 * math.prod(entry.observation.shape)  # how many, and the mean and variance of each component
    return learner._replace(own_state=learner.own_state + statistics)


def batch_rows(spec: ExperimentSpec) -> int:
    """Transitions that a gradient step looks at."""
    return describe_algorithm(spec.algorithm).memory.batch_rows(spec.algorithm, segment_steps(spec))


def call_bytes(spec: ExperimentSpec) -> int:
    """What a member learns from in a call of the device: its rollout, or the batches of some updates."""
    entry = _entry(spec)
    transition = 2 * _observation_bytes(entry) + _rest_bytes(entry)
    n_step = n_step_of(spec.algorithm)
    if n_step > 1:
        transition += _bytes(n_step)  # the other n - 1 rewards, and the number of steps
    if spec.replay is None:
        return segment_steps(spec) * (transition + NUMBER_BYTES)  # whether an episode was cut
    return updates_at_once(segment_updates(spec), is_cpu=True) * batch_rows(spec) * transition


def batch_bytes(spec: ExperimentSpec) -> int:
    """What is there of it at the same time: that of the call which works, and that of the next one, if there is one."""
    updates = segment_updates(spec)
    return min(2, updates // updates_at_once(updates, is_cpu=True)) * call_bytes(spec)


def frame_slots(capacity: int) -> int:
    """Frames that a replay of stacked frames has room for at first: one per transition, and some to begin episodes."""
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
    ring = capacity * (_rest_bytes(entry) + (n_step_of(spec.algorithm) > 1))  # whether the episode ends there
    if stack == 1:
        ring += capacity * 2 * observation
    else:
        ring += capacity * 2 * stack * FRAME_NUMBER_BYTES + frame_slots(capacity) * observation // stack
    rings = 1 if spec.replay.sharing == "shared" else spec.population.size
    return rings * ring


def _entry(spec: ExperimentSpec) -> EnvironmentEntry:
    entry = entry_of(spec.environment)
    if entry is None:
        raise ValueError(f"a valid spec names a known environment, but {spec.environment.id} is in no catalogue")
    return entry


def _observation_bytes(entry: EnvironmentEntry) -> int:
    return (1 if entry.observation.dtype == "uint8" else NUMBER_BYTES) * math.prod(entry.observation.shape)


def _rest_bytes(entry: EnvironmentEntry) -> int:
    """Action, reward and the mark of a transition."""
    return _bytes(math.prod(entry.action.shape) + 2)


def _bytes(numbers: int) -> int:
    return NUMBER_BYTES * numbers
