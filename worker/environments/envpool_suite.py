"""envpool: C++ pools of MuJoCo, dm_control, Atari, Procgen, classic control and others.

An environment's seed is fixed when its pool is made, so each reset makes a new pool.
"""

import functools
import os
import warnings
from typing import Any, NamedTuple

import envpool
import numpy as np
from envpool.registration import registry
from numpy.typing import NDArray

from phylon.catalogue import EnvironmentEntry
from phylon.catalogue.bundled import ENVPOOL
from phylon.policy.network import NativeActions
from phylon.spec.environment import AtariSpec, EnvironmentSpec, ProcgenSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import rendering
from phylon.worker.environments.envpool_spaces import Acted, Observed, read_action, read_observation
from phylon.worker.environments.host import Actions, HostEnvironments, Observations, Purpose, Renderer, StepResult
from phylon.worker.environments.qt import prepare_procgen
from phylon.worker.environments.spaces import bounded, info_of

FAMILIES = {"envpool.mujoco.dmc": "dm_control", "envpool.mujoco.gym": "mujoco"}
"""Where the last part of the module would not say it."""

FRAMES_PER_SECOND = 30
"""envpool does not report how fast its environments' time passes."""

Options = dict[str, Any]


class Kind(NamedTuple):
    """What there is to know of an id."""

    entry: EnvironmentEntry
    observed: Observed
    acted: Acted


def ids() -> list[str]:
    return envpool.list_all_envs()


def find_entry(id: str) -> EnvironmentEntry:
    return _kind(id).entry


@functools.cache
def _kind(id: str) -> Kind:
    if id not in registry.specs:
        raise EnvironmentUnavailable(f"envpool has no environment '{id}'", "see `phylon environments --suite envpool`")
    module = registry.specs[id][0]
    family = FAMILIES.get(module, module.rpartition(".")[2])
    if family == "procgen":
        prepare_procgen()
    try:
        spec = envpool.make_spec(id, **_fixed_options(family))
    except (ImportError, RuntimeError) as error:
        remedy = "`pip install PyQt5-Qt5` brings it" if family == "procgen" else "choose another environment"
        raise EnvironmentUnavailable(f"envpool cannot make '{id}': {error}", remedy) from error
    observed, acted = read_observation(id, family, spec), read_action(spec)
    entry = EnvironmentEntry(
        suite="envpool",
        id=id,
        family=family,
        observation=observed.space,
        action=acted.space,
        max_episode_steps=spec.config.max_episode_steps,
    )
    return Kind(entry, observed, acted)


def native_actions(id: str) -> NativeActions:
    acted = _kind(id).acted
    if acted.space.kind == "discrete":
        return NativeActions((), "int64", start=int(acted.low))
    return bounded(acted.space.shape, acted.space.dtype, acted.low, acted.high)


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    kind = _kind(environment.id)
    return EnvpoolEnvironments(kind, info_of(kind.entry), count, _options(environment, kind.entry.family, purpose))


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    kind = _kind(environment.id)
    options = _options(environment, kind.entry.family, "evaluate") | {"render_mode": "rgb_array"}
    pool = EnvpoolEnvironments(kind, info_of(kind.entry), 1, options)
    return rendering.tried(Renderer(pool, pool.frame, FRAMES_PER_SECOND), environment.id)


def _options(environment: EnvironmentSpec, family: str, purpose: Purpose) -> Options:
    options = _fixed_options(family)
    match family:
        case "atari":
            atari = environment.atari or AtariSpec()
            is_training = purpose == "train"
            options |= {
                "episodic_life": atari.life_loss_ends_episode and is_training,
                "reward_clip": atari.clip_rewards and is_training,
                "noop_max": atari.idle_starts,
                "repeat_action_probability": atari.sticky_actions,
            }
        case "procgen":
            procgen = environment.procgen or ProcgenSpec()
            if purpose != "test":
                options |= {"num_levels": procgen.levels, "start_level": procgen.start_level}
    return options


def _fixed_options(family: str) -> Options:
    return {"procgen": {"channel_first": False}, "atari": {"stack_num": ENVPOOL.family("atari").frame_stack}}.get(
        family, {}
    )


class EnvpoolEnvironments:
    def __init__(self, kind: Kind, info: EnvironmentInfo, count: int, options: Options) -> None:
        self.info = info
        self.count = count
        self._kind = kind
        self._options = options
        self._pool: Any = None

    def reset(self, seeds: NDArray[np.integer]) -> Observations:
        self.close()
        with warnings.catch_warnings(action="ignore"):  # bounds that Gymnasium has to round
            self._pool = envpool.make_gymnasium(
                self._kind.entry.id,
                num_envs=self.count,
                num_threads=min(self.count, len(os.sched_getaffinity(0))),
                seed=[int(seed) for seed in seeds],
                **self._options,
            )
            obs, _ = self._pool.reset()
        return self._kind.observed.join(obs)

    def step(self, actions: Actions) -> StepResult:
        obs, reward, terminated, truncated, _ = self._pool.step(self._kind.acted.to_pool(actions))
        next_obs = self._kind.observed.join(obs)
        obs = next_obs
        ended = np.flatnonzero(terminated | truncated)
        if ended.size:  # envpool itself would spend the next step on restarting them
            obs = next_obs.copy()
            first, _ = self._pool.reset(ended.astype(np.int32))
            obs[ended] = self._kind.observed.join(first)
        return StepResult(obs, np.asarray(reward, np.float32), terminated, truncated, next_obs)

    def frame(self) -> NDArray[np.uint8]:
        return self._pool.render()[0]

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None
