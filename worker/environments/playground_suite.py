"""MuJoCo Playground: DeepMind's control suite on MJX.

Of its other tasks the robots' models would be fetched from the internet at first use: these are left out.
"""

from functools import cache
from typing import Any, cast

from mujoco_playground import dm_control_suite

from phylon.catalogue import EnvironmentEntry
from phylon.policy.network import NativeActions
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import brax_interface
from phylon.worker.environments.host import HostEnvironments, Purpose, Renderer

ON_JAX: dict[str, Any] = {"impl": "jax"}
"""Its default is Warp, which needs CUDA and steps outside of our programs."""


def ids() -> list[str]:
    return list(dm_control_suite.ALL_ENVS)


@cache
def find_entry(id: str) -> EnvironmentEntry:
    opened, settings = _open(id), cast(Any, dm_control_suite.get_default_config(id))
    return brax_interface.describe("playground", id, "dm_control", opened, settings.episode_length)


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    id = environment.id
    return brax_interface.make_pool(environment, find_entry(id), _open(id), count, purpose)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    id, opened = environment.id, _open(environment.id)

    def place(state: Any, data: Any) -> None:
        data.qpos[:], data.qvel[:] = state.data.qpos, state.data.qvel
        data.mocap_pos[:], data.mocap_quat[:] = state.data.mocap_pos, state.data.mocap_quat

    pool = brax_interface.make_pool(environment, find_entry(id), opened, 1, "evaluate")
    return brax_interface.make_renderer(pool, opened, opened.mj_model, place, id)


def native_actions(id: str) -> NativeActions:
    return brax_interface.native_actions(_open(id))


@cache
def _open(id: str) -> Any:
    if id not in ids():
        raise EnvironmentUnavailable(f"MuJoCo Playground has no task '{id}' here", f"use one of {', '.join(ids())}")
    return dm_control_suite.load(id, config_overrides=ON_JAX)
