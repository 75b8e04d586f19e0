"""Brax's locomotion tasks, with its generalized dynamics. Brax calls them unmaintained; they are here to compare."""

import warnings
from functools import cache
from typing import Any

with warnings.catch_warnings(action="ignore"):  # here and below: that it is unmaintained is said above
    from brax import envs

from phylon.catalogue import EnvironmentEntry
from phylon.policy.network import NativeActions
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import brax_interface
from phylon.worker.environments.host import HostEnvironments, Purpose, Renderer

LEFT_OUT = ("fast",)
"""Simulates nothing: Brax tests itself with it."""
EPISODE_STEPS = 1000
"""As `brax.envs.create` cuts them."""


def ids() -> list[str]:
    return [id for id in envs._envs if id not in LEFT_OUT]  # pyright: ignore[reportPrivateUsage]  (there is no list)


@cache
def find_entry(id: str) -> EnvironmentEntry:
    return brax_interface.describe("brax", id, "locomotion", _open(id), EPISODE_STEPS)


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    id = environment.id
    return brax_interface.make_pool(environment, find_entry(id), _open(id), count, purpose)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    id, opened = environment.id, _open(environment.id)

    def place(state: Any, data: Any) -> None:
        data.qpos[:], data.qvel[:] = state.pipeline_state.q, state.pipeline_state.qd

    pool = brax_interface.make_pool(environment, find_entry(id), opened, 1, "evaluate")
    return brax_interface.make_renderer(pool, opened, opened.sys.mj_model, place, id)


def native_actions(id: str) -> NativeActions:
    return brax_interface.native_actions(_open(id))


@cache
def _open(id: str) -> Any:
    if id not in ids():
        raise EnvironmentUnavailable(f"Brax has no environment '{id}'", f"use one of {', '.join(ids())}")
    with warnings.catch_warnings(action="ignore"):
        return envs.get_environment(id)
