"""Any environment that Gymnasium has registered: classic control, MuJoCo, and what else is installed."""

import functools
import logging
import warnings
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from phylon.catalogue import EnvironmentEntry, Space
from worker.core.errors import EnvironmentUnavailable, UnsupportedEnvironment
from worker.core.types import EnvironmentInfo
from worker.environments.host import FloatArray, HostEnvironments, StepResult

log = logging.getLogger(__name__)

# Gymnasium's JAX rewrites of its own environments: they would share the trainer's devices one small step at a time.
LEFT_OUT = ("phys2d/", "tabular/")


def make(id: str, count: int) -> HostEnvironments:
    return GymnasiumEnvironments([open_environment(id) for _ in range(count)])


def describe(id: str) -> EnvironmentInfo:
    environment = open_environment(id)
    try:
        return _info(environment)
    finally:
        environment.close()


def open_environment(id: str) -> gymnasium.Env[Any, Any]:
    """The environment with its time limit. Ids like "module:Env" are refused: Gymnasium would import that module."""
    if ":" in id:
        raise EnvironmentUnavailable(
            f"the environment id '{id}' names a module to import, which would run its code",
            "use an id that is registered with Gymnasium, e.g. Pendulum-v1",
        )
    try:
        if "mujoco" in str(gymnasium.spec(id).entry_point):
            _log_mujoco_warnings()
        return gymnasium.make(id, disable_env_checker=True)
    except (gymnasium.error.Error, ImportError) as error:
        raise EnvironmentUnavailable(
            f"Gymnasium cannot make '{id}': {error}", "check the id, and that the packages of its family are installed"
        ) from error


@functools.cache
def _log_mujoco_warnings() -> None:
    """MuJoCo appends its warnings to a file in the working directory, again for each environment; log each once."""
    import mujoco

    @functools.lru_cache(maxsize=1000)
    def log_once(text: str) -> None:
        log.warning("MuJoCo: %s", text)

    mujoco.set_mju_user_warning(log_once)  # pyright: ignore[reportAttributeAccessIssue]  (made by the C extension)


def entries() -> list[EnvironmentEntry]:
    found = []
    for id in gymnasium.registry:
        if id.startswith(LEFT_OUT):
            continue
        with warnings.catch_warnings(action="ignore"):  # many ids are there for comparison with older work
            try:
                environment = open_environment(id)
            except EnvironmentUnavailable:
                continue
        limit = environment.spec.max_episode_steps if environment.spec else None
        found.append(
            EnvironmentEntry(
                suite="gymnasium",
                id=id,
                observation=_space(environment.observation_space),
                action=_space(environment.action_space),
                max_episode_steps=limit,
            )
        )
        environment.close()
    return found


def _space(space: gymnasium.Space[Any]) -> Space:
    match space:
        case Box():
            return Space(kind="box", shape=space.shape, dtype=str(space.dtype), n=None)
        case Discrete():
            return Space(kind="discrete", shape=(), dtype=str(space.dtype), n=int(space.n))
        case _:
            return Space(kind="other", shape=(), dtype="", n=None)


class GymnasiumEnvironments:
    """Environments of one kind, stepped one after the other in this process."""

    def __init__(self, environments: list[gymnasium.Env[Any, Any]]) -> None:
        self.info = _info(environments[0])
        self.count = len(environments)
        self._environments = environments
        space = environments[0].action_space
        assert isinstance(space, Box)  # _info has refused all else
        self._space = space

    def reset(self, seeds: NDArray[np.integer]) -> FloatArray:
        obs = self._empty()
        for row, (environment, seed) in enumerate(zip(self._environments, seeds, strict=True)):
            obs[row], _ = environment.reset(seed=int(seed))
        return obs

    def step(self, actions: FloatArray) -> StepResult:
        obs = self._empty()
        reward = np.empty(self.count, np.float32)
        terminated, truncated = np.empty(self.count, np.bool_), np.empty(self.count, np.bool_)
        for row, (environment, action) in enumerate(zip(self._environments, self._scaled(actions), strict=True)):
            obs[row], reward[row], terminated[row], truncated[row], _ = environment.step(action)
        next_obs = obs
        ended = np.flatnonzero(terminated | truncated)
        if ended.size:
            obs = obs.copy()
            for row in ended:
                obs[row], _ = self._environments[row].reset()
        return StepResult(obs, reward, terminated, truncated, next_obs)

    def close(self) -> None:
        for environment in self._environments:
            environment.close()

    def _empty(self) -> FloatArray:
        return np.empty((self.count, *self.info.observation_shape), np.float32)

    def _scaled(self, actions: FloatArray) -> NDArray[Any]:
        """From [-1, 1] to the bounds; the clip catches what rounding puts a hair outside."""
        low, high = self._space.low, self._space.high
        actions = actions.reshape(self.count, *self._space.shape)
        return np.clip(low + (actions + 1) / 2 * (high - low), low, high).astype(self._space.dtype)


def _info(environment: gymnasium.Env[Any, Any]) -> EnvironmentInfo:
    observation, action, spec = environment.observation_space, environment.action_space, environment.spec
    name = spec.id if spec else str(environment)
    if not isinstance(observation, Box):
        raise UnsupportedEnvironment(
            f"the observations of '{name}' are {observation}", "choose one that gives one array"
        )
    if not isinstance(action, Box) or not action.is_bounded() or action.dtype.kind != "f":
        raise UnsupportedEnvironment(
            f"the actions of '{name}' are {action}", "choose an environment with continuous, bounded actions"
        )
    limit = spec.max_episode_steps if spec else None
    return EnvironmentInfo(tuple(observation.shape), int(np.prod(action.shape)), limit)
