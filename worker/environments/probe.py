"""Environments whose values are known by heart: the first thing that a new algorithm has to get right.

Each isolates one ability. Observations and actions are one number each.

| id                   | an episode                                                     | value                   |
|----------------------|----------------------------------------------------------------|-------------------------|
| ConstantReward-v0    | one step, reward 1                                             | 1                       |
| ObservationReward-v0 | one step from obs -1 or +1, reward = obs                       | obs                     |
| DelayedReward-v0     | two steps, obs 0 then 1, reward 0 then 1                       | discount, then 1        |
| ActionReward-v0      | one step from obs -1 or +1, reward 1 - (action - obs / 2)²     | 1 by the action obs / 2 |
| Truncation-v0        | one step, reward 1; at obs +1 terminated, at -1 only truncated | 1; 1 / (1 - discount)   |

Each also exists with two discrete actions, as ConstantRewardDiscrete-v0 and so on: 0 stands for the action -1/2, and
1 for +1/2. ConstantRewardImage-v0 and so on have them, too, and show the observation as a grey picture: -1 is black, +1
is white. ConstantRewardDict-v0 and so on show its size and its sign apart, as a composite observation. The actions of
ConstantRewardMultiDiscrete-v0 and so on are two choices at once: the first as above, and the second adds -1/2, 0 or
+1/2, so that ActionReward's best are (0, 1) at -1 and (1, 1) at +1.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.catalogue import EnvironmentEntry, Part, Space, box, composite, discrete, multi_discrete
from phylon.policy.flattening import flatten_batch
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.host import (
    Actions,
    BoolArray,
    FloatArray,
    HostEnvironments,
    Observations,
    Purpose,
    Renderer,
    StepResult,
)
from phylon.worker.environments.spaces import info_of


class Outcome(NamedTuple):
    """What a step of the whole pool led to, [count] each."""

    obs: FloatArray
    reward: FloatArray
    terminated: BoolArray
    truncated: BoolArray


class Probe(NamedTuple):
    starts: tuple[float, ...]
    """Observations that an episode may begin with, equally likely."""
    step: Callable[[FloatArray, FloatArray], Outcome]
    """(obs [count], action [count]) -> outcome."""
    max_episode_steps: int
    is_discrete: bool = False
    is_image: bool = False
    is_composite: bool = False
    has_second_choice: bool = False


IMAGE_SHAPE = (8, 8, 3)
CHOICES = np.array([-0.5, 0.5], np.float32)
"""What the discrete actions stand for."""
SECOND_CHOICES = np.array([-0.5, 0.0, 0.5], np.float32)
PARTS = (
    Part(path=("sign",), kind="discrete", shape=(), dtype="int64", counts=(3,), starts=(-1,)),
    Part(path=("size",), kind="box", shape=(1,), dtype="float32", counts=(), starts=()),
)


def _always(obs: FloatArray) -> BoolArray:
    return np.ones(obs.shape, np.bool_)


def _never(obs: FloatArray) -> BoolArray:
    return np.zeros(obs.shape, np.bool_)


def _constant_reward(obs: FloatArray, action: FloatArray) -> Outcome:
    return Outcome(obs, np.ones_like(obs), _always(obs), _never(obs))


def _observation_reward(obs: FloatArray, action: FloatArray) -> Outcome:
    return Outcome(obs, obs, _always(obs), _never(obs))


def _delayed_reward(obs: FloatArray, action: FloatArray) -> Outcome:
    return Outcome(np.ones_like(obs), obs, obs == 1, _never(obs))


def _action_reward(obs: FloatArray, action: FloatArray) -> Outcome:
    return Outcome(obs, 1 - np.square(action - obs / 2), _always(obs), _never(obs))


def _truncation(obs: FloatArray, action: FloatArray) -> Outcome:
    return Outcome(obs, np.ones_like(obs), obs > 0, obs < 0)


CONTINUOUS = {
    "ConstantReward": Probe((0.0,), _constant_reward, 1),
    "ObservationReward": Probe((-1.0, 1.0), _observation_reward, 1),
    "DelayedReward": Probe((0.0,), _delayed_reward, 2),
    "ActionReward": Probe((-1.0, 1.0), _action_reward, 1),
    "Truncation": Probe((-1.0, 1.0), _truncation, 1),
}
PROBES = {f"{name}-v0": probe for name, probe in CONTINUOUS.items()} | {
    f"{name}{kind}-v0": probe._replace(
        is_discrete=kind != "MultiDiscrete",
        is_image=kind == "Image",
        is_composite=kind == "Dict",
        has_second_choice=kind == "MultiDiscrete",
    )
    for name, probe in CONTINUOUS.items()
    for kind in ("Discrete", "Image", "Dict", "MultiDiscrete")
}


def ids() -> list[str]:
    return list(PROBES)


def find_entry(id: str) -> EnvironmentEntry:
    if id not in PROBES:
        raise EnvironmentUnavailable(f"there is no probe environment '{id}'", f"use one of {', '.join(PROBES)}")
    probe = PROBES[id]
    return EnvironmentEntry(
        suite="probe",
        id=id,
        family="probe",
        observation=_observation_space(probe),
        action=_action_space(probe),
        max_episode_steps=probe.max_episode_steps,
    )


def _observation_space(probe: Probe) -> Space:
    if probe.is_composite:
        return composite(PARTS)
    return box(IMAGE_SHAPE, "uint8") if probe.is_image else box((1,), "float32")


def _action_space(probe: Probe) -> Space:
    if probe.has_second_choice:
        return multi_discrete((len(CHOICES), len(SECOND_CHOICES)))
    return discrete(len(CHOICES)) if probe.is_discrete else box((1,), "float32")


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    del purpose  # there is but one distribution
    info = info_of(find_entry(environment.id))
    return ProbeEnvironments(PROBES[environment.id], info, count)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    del environment
    return None


class ProbeEnvironments:
    def __init__(self, probe: Probe, info: EnvironmentInfo, count: int) -> None:
        self.info = info
        self.count = count
        self._probe = probe
        self._random: list[np.random.Generator] = []
        self._obs = np.zeros(count, np.float32)

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        self._random = [np.random.default_rng(int(seed)) for seed in seeds]
        self._obs = np.array([self._start(row) for row in range(self.count)], np.float32)
        return self._shown(self._obs)

    def step(self, actions: Actions) -> StepResult:
        outcome = self._probe.step(self._obs, self._meant(actions))
        self._obs = outcome.obs.copy()
        for row in np.flatnonzero(outcome.terminated | outcome.truncated).tolist():
            self._obs[row] = self._start(row)
        obs, next_obs = self._shown(self._obs), self._shown(outcome.obs)
        return StepResult(obs, outcome.reward, outcome.terminated, outcome.truncated, next_obs)

    def close(self) -> None:
        """Nothing is held open."""

    def _meant(self, actions: Actions) -> FloatArray:
        if self._probe.has_second_choice:
            return CHOICES[actions[:, 0]] + SECOND_CHOICES[actions[:, 1]]
        return CHOICES[actions] if self._probe.is_discrete else np.clip(actions[:, 0], -1, 1)

    def _shown(self, obs: FloatArray) -> Observations:
        if self._probe.is_composite:
            return flatten_batch(PARTS, {"sign": np.sign(obs), "size": np.abs(obs)[:, None]})
        if not self._probe.is_image:
            return obs[:, None]
        shades = np.round(127.5 * (obs + 1)).astype(np.uint8)
        return np.broadcast_to(shades[:, None, None, None], (self.count, *IMAGE_SHAPE)).copy()

    def _start(self, row: int) -> float:
        return self._random[row].choice(self._probe.starts)
