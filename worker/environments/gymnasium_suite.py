"""Any environment that Gymnasium has registered: classic control, MuJoCo, and what else is installed."""

import functools
import logging
import math
import os
import statistics
import time
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from phylon.catalogue import COMPOSITE, EnvironmentEntry, Space, box, discrete
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import rendering
from phylon.worker.environments.gymnasium_inline import Environment, InlineEnvironments
from phylon.worker.environments.gymnasium_processes import ProcessEnvironments
from phylon.worker.environments.host import HostEnvironments, Purpose, Renderer
from phylon.worker.environments.spaces import info_of

log = logging.getLogger(__name__)

# Gymnasium's JAX rewrites of its own environments: they would share the trainer's devices one small step at a time.
LEFT_OUT = ("phys2d/", "tabular/")

HANDOVER_SECONDS = 0.5e-3
"""Processes have to save at least this much of a step: handing it over takes 0.2 to 0.3 ms on two busy cores."""
MEASURED_STEPS = 30


def ids() -> list[str]:
    return [id for id in gymnasium.registry if not id.startswith(LEFT_OUT)]


def find_entry(id: str) -> EnvironmentEntry:
    environment = open_environment(id)
    try:
        spec = gymnasium.spec(id)
        return EnvironmentEntry(
            suite="gymnasium",
            id=id,
            family=_family(str(spec.entry_point)),
            observation=_space(environment.observation_space),
            action=_action_space(environment.action_space),
            max_episode_steps=spec.max_episode_steps,
        )
    finally:
        environment.close()


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    del purpose  # there is but one distribution
    id, info = environment.id, info_of(find_entry(environment.id))
    processes = min(count, len(os.sched_getaffinity(0)))
    if environment.stepping == "processes" or (environment.stepping == "auto" and _processes_pay(id, count, processes)):
        return ProcessEnvironments(open_environment, id, info, count, processes)
    return InlineEnvironments([open_environment(id) for _ in range(count)], info)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    info = info_of(find_entry(environment.id))
    shown = open_environment(environment.id, render_mode="rgb_array")
    pool = InlineEnvironments([shown], info)
    if "rgb_array" not in shown.metadata["render_modes"]:
        pool.close()
        return None

    def frame() -> NDArray[np.uint8]:
        return np.array(shown.render(), np.uint8)

    return rendering.tried(Renderer(pool, frame, shown.metadata["render_fps"]), environment.id)


def open_environment(id: str, render_mode: str | None = None) -> Environment:
    """The environment with its time limit. Ids like "module:Env" are refused: Gymnasium would import that module."""
    if ":" in id:
        raise EnvironmentUnavailable(
            f"the environment id '{id}' names a module to import, which would run its code",
            "use an id that is registered with Gymnasium, e.g. Pendulum-v1",
        )
    try:
        if "mujoco" in str(gymnasium.spec(id).entry_point):
            _log_mujoco_warnings()
        return gymnasium.make(id, disable_env_checker=True, render_mode=render_mode)
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


def _processes_pay(id: str, count: int, processes: int) -> bool:
    """Whether the steps that others take meanwhile are worth more than handing them over."""
    others = count - math.ceil(count / processes)
    return others > 0 and others * _step_seconds(id) > HANDOVER_SECONDS


@functools.cache
def _step_seconds(id: str) -> float:
    """Of one environment, by a short measurement."""
    environment = open_environment(id)
    try:
        environment.reset(seed=0)
        environment.action_space.seed(0)
        durations: list[float] = []
        for _ in range(MEASURED_STEPS):
            action = environment.action_space.sample()
            start = time.perf_counter()
            _, _, terminated, truncated, _ = environment.step(action)
            durations.append(time.perf_counter() - start)
            if terminated or truncated:
                environment.reset()
        return statistics.median(durations)
    finally:
        environment.close()


def _family(entry_point: str) -> str:
    """`gymnasium.envs.mujoco.ant_v5:AntEnv` is of the family `mujoco`; others go by the name of their package."""
    parts = entry_point.partition(":")[0].split(".")
    return parts[2] if parts[:2] == ["gymnasium", "envs"] else parts[0]


def _space(space: gymnasium.Space[Any]) -> Space:
    match space:
        case Box():
            return box(space.shape, str(space.dtype))
        case Discrete():
            return discrete(int(space.n))
        case _:
            return COMPOSITE


def _action_space(space: gymnasium.Space[Any]) -> Space:
    if isinstance(space, Box) and not (space.is_bounded() and space.dtype.kind == "f"):
        return COMPOSITE
    return _space(space)
