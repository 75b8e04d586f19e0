"""gymnax: classic control, MinAtar, bsuite and others as pure JAX functions."""

from typing import Any

import gymnax
import jax.numpy as jnp
from gymnax.environments import spaces

from phylon.catalogue import OTHER, EnvironmentEntry, Space, box, discrete
from phylon.policy.network import NativeActions
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.core.types import Array, Key
from phylon.worker.environments.host import HostEnvironments, Purpose, Renderer
from phylon.worker.environments.jax_environment import EnvironmentState, JaxEnvironment, JaxPool, JaxStep
from phylon.worker.environments.spaces import bounded, info_of, scaled
from phylon.worker.environments.wrappers import wrap

LEFT_OUT = ("MNISTBandit-bsuite",)
"""Would fetch its pictures from the internet."""


def ids() -> list[str]:
    return [id for id in gymnax.registered_envs if id not in LEFT_OUT]


def find_entry(id: str) -> EnvironmentEntry:
    environment, params = _open(id)
    return EnvironmentEntry(
        suite="gymnax",
        id=id,
        family=type(environment).__module__.split(".")[2],
        observation=_space(environment.observation_space(params)),
        action=_space(environment.action_space(params)),
        max_episode_steps=int(params.max_steps_in_episode),
    )


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    return JaxPool(wrap(environment, "functional", make_jax_environment(environment.id), purpose), count)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    del environment  # gymnax draws with Matplotlib, figure by figure
    return None


def native_actions(id: str) -> NativeActions:
    environment, params = _open(id)
    space = environment.action_space(params)
    if isinstance(space, spaces.Discrete):
        return NativeActions((), "int64")
    return bounded(tuple(space.shape), str(jnp.dtype(space.dtype)), space.low, space.high)


def make_jax_environment(id: str) -> JaxEnvironment:
    environment, params = _open(id)
    info = info_of(find_entry(id))
    space = environment.action_space(params)

    def reset(key: Key) -> tuple[EnvironmentState, Array]:
        obs, state = environment.reset_env(key, params)
        return state, _observation(obs)

    def step(state: EnvironmentState, action: Array, key: Key) -> JaxStep:
        if not info.is_discrete:
            action = scaled(action.reshape(space.shape), jnp.asarray(space.low), jnp.asarray(space.high))
        obs, state, reward, terminated, _ = environment.step_env(key, state, action, params)
        truncated = environment.is_truncated(state, params)
        return JaxStep(state, _observation(obs), jnp.float32(reward), terminated, truncated)

    return JaxEnvironment(info, reset, step)


def _open(id: str) -> tuple[Any, Any]:
    """The environment and its parameters."""
    if id not in ids():
        raise EnvironmentUnavailable(f"gymnax has no environment '{id}'", f"use one of {', '.join(ids())}")
    return gymnax.make(id)


def _observation(obs: Array) -> Array:
    return obs.astype(jnp.float32)


def _space(space: Any) -> Space:
    match space:
        case spaces.Box():
            return box(tuple(space.shape), str(jnp.dtype(space.dtype)))
        case spaces.Discrete():
            return discrete(int(space.n))
        case _:
            return OTHER
