"""Any environment that Gymnasium has registered: classic control, MuJoCo, and what else is installed."""

import functools
import importlib
import logging
import math
import os
import statistics
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from phylon.catalogue import EnvironmentEntry
from phylon.policy.network import NativeActions
from phylon.spec.environment import EnvironmentSpec, module_of
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import rendering
from phylon.worker.environments.allowed import require_allowed
from phylon.worker.environments.gymnasium_inline import Environment, InlineEnvironments
from phylon.worker.environments.gymnasium_processes import ProcessEnvironments
from phylon.worker.environments.gymnasium_spaces import describe_action, describe_native_actions, describe_observation
from phylon.worker.environments.host import HostEnvironments, Purpose, Renderer
from phylon.worker.environments.spaces import info_of
from phylon.worker.environments.wrappers import wrap

log = logging.getLogger(__name__)

# Gymnasium's JAX rewrites of its own environments: they would share the trainer's devices one small step at a time.
LEFT_OUT = ("phys2d/", "tabular/")

HANDOVER_SECONDS = 0.5e-3
"""Processes have to save at least this much of a step: handing it over takes 0.2 to 0.3 ms on two busy cores."""
MEASURED_STEPS = 30
USUAL_FRAMES_PER_SECOND = 30

Options = Mapping[str, Any]
NO_OPTIONS: Options = MappingProxyType({})


def ids() -> list[str]:
    return [id for id in gymnasium.registry if not id.startswith(LEFT_OUT)]


def find_entry(id: str, options: Options = NO_OPTIONS) -> EnvironmentEntry:
    environment = open_environment(id, options=options)
    try:
        return EnvironmentEntry(
            suite="gymnasium",
            id=id,
            family=module_of(id) or _family(str(gymnasium.spec(id).entry_point)),
            observation=describe_observation(environment.observation_space),
            action=describe_action(environment.action_space),
            max_episode_steps=_episode_limit(environment),
        )
    finally:
        environment.close()


def registered_by(module: str) -> list[EnvironmentEntry]:
    """The environments that importing the module registers and that can be made here."""
    require_allowed(f"{module}:any")
    before = set(gymnasium.registry)
    importlib.import_module(module)
    entries: list[EnvironmentEntry] = []
    for name in sorted({*gymnasium.registry} - before):
        try:
            entries.append(find_entry(f"{module}:{name}"))
        except EnvironmentUnavailable as error:
            log.warning("%s", error)
    return entries


def native_actions(id: str, options: Options = NO_OPTIONS) -> NativeActions:
    environment = open_environment(id, options=options)
    try:
        return describe_native_actions(environment.action_space)
    finally:
        environment.close()


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    del purpose  # there is but one distribution
    info = info_of(find_entry(environment.id, environment.options))
    processes = min(count, len(os.sched_getaffinity(0)))
    if environment.stepping == "processes" or (
        environment.stepping == "auto" and _processes_pay(environment, count, processes)
    ):
        return ProcessEnvironments(open_wrapped, environment, info, count, processes)
    return InlineEnvironments([open_wrapped(environment) for _ in range(count)], info)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    info = info_of(find_entry(environment.id, environment.options))
    shown = open_wrapped(environment, render_mode="rgb_array")
    pool = InlineEnvironments([shown], info)
    if "rgb_array" not in shown.metadata["render_modes"]:
        pool.close()
        return None

    def frame() -> NDArray[np.uint8]:
        return np.array(shown.render(), np.uint8)

    rate = shown.metadata.get("render_fps", USUAL_FRAMES_PER_SECOND)
    return rendering.tried(Renderer(pool, frame, rate), environment.id)


def open_wrapped(environment: EnvironmentSpec, render_mode: str | None = None) -> Environment:
    """With the wrappers that lie around each environment by itself."""
    return wrap(environment, "single", open_environment(environment.id, render_mode, environment.options), "train")


def open_environment(id: str, render_mode: str | None = None, options: Options = NO_OPTIONS) -> Environment:
    """The environment with its time limit. Of ids like "module:Env" the module is imported, if it is allowed here."""
    name = _import_module_of(id)
    try:
        if "mujoco" in str(gymnasium.spec(name).entry_point):
            _log_mujoco_warnings()
        return gymnasium.make(name, disable_env_checker=True, **{"render_mode": render_mode, **options})
    except (gymnasium.error.Error, ImportError) as error:
        raise EnvironmentUnavailable(
            f"Gymnasium cannot make '{id}': {error}", "check the id, and that the packages of its family are installed"
        ) from error
    except TypeError as error:
        if not options:
            raise
        raise EnvironmentUnavailable(
            f"'{id}' cannot be made with the options {dict(options)}: {error}", "correct environment.options"
        ) from error


def _import_module_of(id: str) -> str:
    """The name under which the environment is then registered."""
    require_allowed(id)
    module = module_of(id)
    if module is None:
        return id
    try:
        importlib.import_module(module)
    except Exception as error:  # it is someone's own code
        raise EnvironmentUnavailable(
            f"the module of '{id}' cannot be imported: {type(error).__name__}: {error}",
            "install its package here, or run the command in the folder that holds it",
        ) from error
    return id.partition(":")[2]


def _episode_limit(environment: Environment) -> int | None:
    """Of what was really made: options may have changed that of the registration."""
    return None if environment.spec is None else environment.spec.max_episode_steps


@functools.cache
def _log_mujoco_warnings() -> None:
    """MuJoCo appends its warnings to a file in the working directory, again for each environment; log each once."""
    import mujoco

    @functools.lru_cache(maxsize=1000)
    def log_once(text: str) -> None:
        log.warning("MuJoCo: %s", text)

    mujoco.set_mju_user_warning(log_once)  # pyright: ignore[reportAttributeAccessIssue]  (made by the C extension)


def _processes_pay(spec: EnvironmentSpec, count: int, processes: int) -> bool:
    """Whether the steps that others take meanwhile are worth more than handing them over."""
    others = count - math.ceil(count / processes)
    return others > 0 and others * _step_seconds(spec.model_dump_json()) > HANDOVER_SECONDS


@functools.cache
def _step_seconds(spec: str) -> float:
    """Of one environment, by a short measurement. `spec`: as JSON."""
    environment = open_wrapped(EnvironmentSpec.model_validate_json(spec))
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
