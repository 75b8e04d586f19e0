"""Collects experience: the training environments of the whole population, stepped together, a segment at a time."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import Rollout, Transition
from phylon.worker.environments import HostEnvironments
from phylon.worker.execution import Actor, KeyWords
from phylon.worker.training.metrics import EpisodeReturns
from phylon.worker.training.randomness import environment_seeds
from phylon.worker.training.stopwatch import Stopwatch

HostRollout = Rollout[NDArray[Any]]


class PolicyActions(NamedTuple):
    """A segment's actions are chosen by the policies."""

    actor: Actor
    keys: KeyWords
    """Per call and member, [calls, P, 2]."""


class FixedActions(NamedTuple):
    """A segment's actions are known beforehand."""

    actions: NDArray[Any]
    """[calls, P, envs, ...]."""


Behaviour = PolicyActions | FixedActions


class Collector(Protocol):
    """P x envs environments. Call `restart` first: it seeds them."""

    episodes: EpisodeReturns

    def restart(self, checkpoint: int) -> None:
        """Begin new episodes with seeds that follow from the number of the checkpoint just written (0 at the start).

        An uninterrupted run does this too, so a run resumed from that checkpoint sees the same environments. Episodes
        that were cut off are truncated, and do not count in the returns.
        """
        ...

    def collect(self, behaviour: Behaviour, stopwatch: Stopwatch) -> Rollout[Any]:
        """As many steps of every environment as the behaviour has calls, [P, calls, envs, ...]; on host or devices."""
        ...

    def close(self) -> None: ...


class HostCollector:
    """One call of the policies and one of the environments per step."""

    def __init__(
        self, environments: HostEnvironments, population_size: int, seed: int, kept: int = 0, first: int = 0
    ) -> None:
        """`population_size`: of the members here; `first`: the slot of the first of them."""
        self._environments = environments
        self._shape = (population_size, environments.count // population_size)
        self._seed, self._first = seed, first * self._shape[1]
        self._obs = np.empty(0, np.float32)
        self.episodes = EpisodeReturns(*self._shape, kept)

    def restart(self, checkpoint: int) -> None:
        self._obs = self._by_member(
            self._environments.reset(
                environment_seeds(self._seed, "train", checkpoint, self._environments.count, self._first)
            )
        )
        self.episodes.cut()

    def collect(self, behaviour: Behaviour, stopwatch: Stopwatch) -> HostRollout:
        steps: list[tuple[NDArray[Any], ...]] = []
        for inputs in behaviour.actions if isinstance(behaviour, FixedActions) else behaviour.keys:
            with stopwatch.phase("act"):
                action = inputs if isinstance(behaviour, FixedActions) else behaviour.actor.explore(self._obs, inputs)
            with stopwatch.phase("env"):
                result = self._environments.step(action.reshape(self._environments.count, *action.shape[2:]))
                reward, terminated, truncated, obs, next_obs = map(
                    self._by_member, (result.reward, result.terminated, result.truncated, result.obs, result.next_obs)
                )
                ends = (terminated.astype(np.float32), next_obs, truncated.astype(np.float32))
                steps.append((self._obs, action, reward, *ends))
                self._obs = obs
        *fields, truncated = (np.stack(values, axis=1) for values in zip(*steps, strict=True))
        transitions = Transition(*fields)
        self.episodes.add(transitions.reward, (transitions.terminated + truncated) > 0)
        return Rollout(transitions, truncated)

    def close(self) -> None:
        self._environments.close()

    def _by_member(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.reshape(*self._shape, *array.shape[1:])


def merge_members(rollout: HostRollout) -> HostRollout:
    """[1, calls, P * envs, ...]: as if one member had all environments."""

    def merge(field: NDArray[Any]) -> NDArray[Any]:
        by_call = np.swapaxes(field, 0, 1)  # [calls, P, envs, ...]
        return by_call.reshape(1, len(by_call), -1, *by_call.shape[3:])

    return Rollout(Transition(*map(merge, rollout.transitions)), merge(rollout.truncated))


def flatten_time(rollout: HostRollout) -> Transition[NDArray[Any]]:
    """The transitions alone, [P, calls * envs, ...] in order of time, as a replay takes them."""
    return Transition(*(field.reshape(field.shape[0], -1, *field.shape[3:]) for field in rollout.transitions))
