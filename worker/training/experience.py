"""What members learn from: transitions sampled from a replay, or the rollout just collected."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.spec import ExperimentSpec, segment_steps
from phylon.spec.segments import segment_updates, updates_at_once
from phylon.worker.core.types import EnvironmentInfo, Rollout, Transition
from phylon.worker.replay import make_replay
from phylon.worker.training.collect import HostRollout, flatten_time, merge_members


class Experience(Protocol):
    updates: int
    """Gradient updates per segment."""
    at_once: int
    """How many of them one call of the device makes."""
    warmup: int
    """Environment steps of random actions before the first update."""

    def add(self, rollout: Rollout[Any]) -> None:
        """[P, calls, envs, ...], on the host or on the devices where it was collected."""
        ...

    def draw(self, segment: int) -> Iterator[Any]:
        """What the updates of this segment learn from, [P, ...] per call."""
        ...

    def example(self) -> Any:
        """Random data with the shapes of one call, for timing."""
        ...

    def copy(self, parents: NDArray[np.int32]) -> None:
        """Each slot receives a copy of the experience of its parent, [P]."""
        ...

    def to_arrays(self) -> dict[str, NDArray[Any]]: ...

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None: ...


class FromReplay:
    """Updates on batches [learners, updates, batch, ...]; all members learn, except in some joint methods.

    A replay that members share is the ring of a single member, which has the environments of all.
    """

    def __init__(self, spec: ExperimentSpec, info: EnvironmentInfo, seed: int, learners: int) -> None:
        assert spec.replay is not None and spec.algorithm.learns_from == "replay"
        self.updates = segment_updates(spec)
        self.at_once = updates_at_once(self.updates, is_cpu=jax.default_backend() == "cpu")
        self.warmup = spec.replay.warmup
        self._info, self._seed, self._batch_size = info, seed, spec.algorithm.batch_size
        self._is_shared, self._learners = spec.replay.sharing == "shared", learners
        owners, each = (1, spec.population.size) if self._is_shared else (spec.population.size, 1)
        own_info = info._replace(envs_per_member=each * info.envs_per_member)
        self._replay = make_replay(owners, spec.replay.capacity, own_info)

    def add(self, rollout: Rollout[Any]) -> None:
        on_host: HostRollout = jax.device_get(rollout)
        self._replay.add(flatten_time(merge_members(on_host) if self._is_shared else on_host))

    def draw(self, segment: int) -> Iterator[Transition[NDArray[Any]]]:
        each = self._learners if self._is_shared else 1
        indices = self._replay.draw(self._seed, segment, each * self.updates * self._batch_size)
        indices = indices.reshape(-1, self.updates, self._batch_size)
        for first in range(0, self.updates, self.at_once):
            yield self._replay.gather(indices[:, first : first + self.at_once])

    def example(self) -> Transition[NDArray[Any]]:
        return random_transitions(self._info, self._learners, self.at_once, self._batch_size)

    def copy(self, parents: NDArray[np.int32]) -> None:
        self._replay.copy(parents)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return self._replay.to_arrays()

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._replay.from_arrays(arrays)


class FromRollout:
    """One update on the rollout [P, steps, envs, ...]; nothing is kept, so a checkpoint stores nothing of it."""

    updates, at_once, warmup = 1, 1, 0

    def __init__(self, spec: ExperimentSpec, info: EnvironmentInfo) -> None:
        envs = spec.environment.envs_per_member
        self._info, self._shape = info, (spec.population.size, segment_steps(spec) // envs, envs)
        self._latest: Rollout[Any] | None = None

    def add(self, rollout: Rollout[Any]) -> None:
        self._latest = rollout

    def draw(self, segment: int) -> Iterator[Rollout[Any]]:
        del segment  # nothing is sampled
        assert self._latest is not None
        yield self._latest

    def example(self) -> HostRollout:
        return Rollout(random_transitions(self._info, *self._shape), np.zeros(self._shape, np.float32))

    def copy(self, parents: NDArray[np.int32]) -> None:
        del parents  # a rollout is used up before members are copied

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {}

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        del arrays


def make_experience(spec: ExperimentSpec, info: EnvironmentInfo, seed: int, learners: int) -> Experience:
    return FromReplay(spec, info, seed, learners) if spec.algorithm.learns_from == "replay" else FromRollout(spec, info)


def random_transitions(info: EnvironmentInfo, *shape: int) -> Transition[NDArray[Any]]:
    random = np.random.default_rng(0)

    def real(*size: int) -> NDArray[Any]:
        return random.random((*shape, *size), np.float32)

    def observation() -> NDArray[Any]:
        if info.observation_dtype == "uint8":
            return random.integers(0, 256, (*shape, *info.observation_shape), np.uint8)
        return real(*info.observation_shape)

    is_discrete, size = info.is_discrete, info.action_size
    action = random.integers(0, size, shape, np.int32) if is_discrete else real(size)
    return Transition(observation(), action, real(), np.zeros(shape, np.float32), observation())
