"""What members learn from: transitions sampled from a replay, or the rollout just collected."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.spec import ExperimentSpec, segment_steps
from phylon.spec.algorithms.n_step import n_step_of
from phylon.spec.segments import segment_updates, updates_at_once
from phylon.worker.core.types import EnvironmentInfo, NStepTransition, Rollout, Transition
from phylon.worker.replay import make_replay
from phylon.worker.replay.ring import HostSample
from phylon.worker.training.collect import HostRollout, flatten_time, merge_members


class Experience(Protocol):
    """What members learn from, wherever it lies."""

    updates: int
    """Gradient updates per segment."""
    at_once: int
    """How many of them one call of the device makes."""
    warmup: int
    """Environment steps of random actions before the first update."""

    def add(self, rollout: Rollout[Any]) -> None:
        """[P, calls, envs, ...], on the host or on the devices where it was collected."""
        ...

    def cut(self) -> None:
        """All environments restart, so what comes next does not follow what was added last."""
        ...

    def copy(self, parents: NDArray[np.int32]) -> None:
        """Each slot receives a copy of the experience of its parent, [P]."""
        ...

    def read_member(self, member: int) -> dict[str, NDArray[Any]]:
        """What `write_member` makes the experience of a member of another process; `member`: its place here."""
        ...

    def write_member(self, member: int, arrays: Mapping[str, NDArray[Any]]) -> None: ...

    def to_arrays(self) -> dict[str, NDArray[Any]]: ...

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None: ...


class HandedOver(Experience, Protocol):
    """Experience that is handed to the updates call by call."""

    def draw(self, segment: int) -> Iterator[Any]:
        """What the updates of this segment learn from, [P, ...] per call."""
        ...

    def example(self) -> Any:
        """Random data with the shapes of one call, for timing."""
        ...


class FromReplay:
    """Updates on batches [learners, updates, batch, ...]; all members learn, except in some joint methods.

    A replay that members share is the ring of a single member, which has the environments of all.
    """

    def __init__(self, spec: ExperimentSpec, info: EnvironmentInfo, seed: int, learners: int, here: range) -> None:
        """`learners`: how many members learn in all processes; `here`: those whose weights are here."""
        assert spec.replay is not None and spec.algorithm.learns_from == "replay"
        self.updates = segment_updates(spec)
        self.at_once = updates_at_once(self.updates, is_cpu=jax.default_backend() == "cpu")
        self.warmup = spec.replay.warmup
        self._info, self._seed, self._batch_size = info, seed, spec.algorithm.batch_size
        self._is_shared, self._learners = spec.replay.sharing == "shared", learners
        self._here = range(min(here.start, learners), min(here.stop, learners))
        owners, each, first = (1, spec.population.size, 0) if self._is_shared else (len(here), 1, here.start)
        own_info = info._replace(envs_per_member=each * info.envs_per_member)
        self._n_step = n_step_of(spec.algorithm)
        self._replay = make_replay(owners, spec.replay.capacity, own_info, self._n_step, first)

    def add(self, rollout: Rollout[Any]) -> None:
        on_host: HostRollout = jax.device_get(rollout)
        own = merge_members(on_host) if self._is_shared else on_host
        ended = (own.transitions.terminated + own.truncated) > 0
        self._replay.add(flatten_time(own), ended.reshape(len(ended), -1))

    def cut(self) -> None:
        self._replay.cut()

    def draw(self, segment: int) -> Iterator[HostSample]:
        each = self._learners if self._is_shared else 1
        indices = self._replay.draw(self._seed, segment, each * self.updates * self._batch_size)
        indices = indices.reshape(-1, self.updates, self._batch_size)
        if self._is_shared:  # everybody's experience is in every process
            indices = indices[self._here.start : self._here.stop]
        for first in range(0, self.updates, self.at_once):
            yield self._replay.gather(indices[:, first : first + self.at_once])

    def example(self) -> HostSample:
        shape = (len(self._here), self.at_once, self._batch_size)
        rows = random_transitions(self._info, *shape)
        if self._n_step == 1:
            return rows
        reward = np.repeat(rows.reward[..., None], self._n_step, axis=-1)
        return NStepTransition(**rows._replace(reward=reward)._asdict(), steps=np.full(shape, self._n_step, np.float32))

    def copy(self, parents: NDArray[np.int32]) -> None:
        self._replay.copy(parents)

    def read_member(self, member: int) -> dict[str, NDArray[Any]]:
        return self._replay.read_member(member)

    def write_member(self, member: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._replay.write_member(member, arrays)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return self._replay.to_arrays()

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._replay.from_arrays(arrays)


class FromRollout:
    """One update on the rollout [P, steps, envs, ...]; nothing is kept, so a checkpoint stores nothing of it."""

    updates, at_once, warmup = 1, 1, 0

    def __init__(self, spec: ExperimentSpec, info: EnvironmentInfo, here: range) -> None:
        envs = spec.environment.envs_per_member
        self._info, self._shape = info, (len(here), segment_steps(spec) // envs, envs)
        self._latest: Rollout[Any] | None = None

    def add(self, rollout: Rollout[Any]) -> None:
        self._latest = rollout

    def cut(self) -> None:
        """A rollout says itself where episodes end, and is learned from before the next one."""

    def draw(self, segment: int) -> Iterator[Rollout[Any]]:
        del segment  # nothing is sampled
        assert self._latest is not None
        yield self._latest

    def example(self) -> HostRollout:
        return Rollout(random_transitions(self._info, *self._shape), np.zeros(self._shape, np.float32))

    def copy(self, parents: NDArray[np.int32]) -> None:
        del parents  # a rollout is used up before members are copied

    def read_member(self, member: int) -> dict[str, NDArray[Any]]:
        del member
        return {}

    def write_member(self, member: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        del member, arrays

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {}

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        del arrays


def make_experience(
    spec: ExperimentSpec, info: EnvironmentInfo, seed: int, learners: int, here: range | None = None
) -> HandedOver:
    """`here`: the members whose weights are in this process; left out, all."""
    here = here or range(spec.population.size)
    if spec.algorithm.learns_from == "replay":
        return FromReplay(spec, info, seed, learners, here)
    return FromRollout(spec, info, here)


def batch_shape(spec: ExperimentSpec, info: EnvironmentInfo, *lead: int) -> Any:
    """Shapes and types of what one update learns from, a batch or a rollout, for as many learners as `lead` says."""
    if spec.algorithm.learns_from == "replay":
        shape, n_step = (*lead, spec.algorithm.batch_size), n_step_of(spec.algorithm)
        rows = _transition_shape(info, *shape)
        if n_step == 1:
            return rows
        rewards = jax.ShapeDtypeStruct((*shape, n_step), np.float32)
        return NStepTransition(**rows._replace(reward=rewards)._asdict(), steps=rows.reward)
    envs = spec.environment.envs_per_member
    shape = (*lead, segment_steps(spec) // envs, envs)
    return Rollout(_transition_shape(info, *shape), jax.ShapeDtypeStruct(shape, np.float32))


def _transition_shape(info: EnvironmentInfo, *shape: int) -> Transition[jax.ShapeDtypeStruct]:
    obs = jax.ShapeDtypeStruct((*shape, *info.observation_shape), np.dtype(info.observation_dtype))
    action = jax.ShapeDtypeStruct((*shape, *info.action_shape), np.dtype(info.action_dtype))
    number = jax.ShapeDtypeStruct(shape, np.float32)
    return Transition(obs, action, number, number, obs)


def random_transitions(info: EnvironmentInfo, *shape: int) -> Transition[NDArray[Any]]:
    random = np.random.default_rng(0)

    def real(*size: int) -> NDArray[Any]:
        return random.random((*shape, *size), np.float32)

    def observation() -> NDArray[Any]:
        if info.observation_dtype == "uint8":
            return random.integers(0, 256, (*shape, *info.observation_shape), np.uint8)
        return real(*info.observation_shape)

    if info.has_choices:
        counts = info.action_counts or info.action_size
        action = random.integers(0, counts, (*shape, *info.action_shape), np.int32)
    else:
        action = real(info.action_size)
    return Transition(observation(), action, real(), np.zeros(shape, np.float32), observation())
