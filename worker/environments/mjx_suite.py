"""Gymnasium's MuJoCo models on MJX: the same observations and rewards, thousands at once on a GPU.

On a CPU it is for trying out only: compiling takes minutes, and plain MuJoCo is faster.
"""

from importlib import resources
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mujoco
import mujoco.mjx as mjx
import numpy as np
from numpy.typing import NDArray

from phylon.catalogue import EnvironmentEntry
from phylon.policy.network import NativeActions
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.core.types import Array, Key
from phylon.worker.environments import gymnasium_suite, rendering
from phylon.worker.environments.host import HostEnvironments, Purpose, Renderer
from phylon.worker.environments.jax_environment import JaxEnvironment, JaxPool, JaxStep
from phylon.worker.environments.mjx_tasks import TASKS, Data, Moved, Start, Task
from phylon.worker.environments.spaces import bounded, info_of, scaled
from phylon.worker.environments.wrappers import wrap
from phylon.worker.environments.wrappers.functional import innermost


class Simulation(NamedTuple):
    data: Data
    steps: Array


def ids() -> list[str]:
    return list(TASKS)


def find_entry(id: str) -> EnvironmentEntry:
    """Spaces and time limit are Gymnasium's own."""
    if id not in TASKS:
        raise EnvironmentUnavailable(f"there is no MJX environment '{id}'", f"use one of {', '.join(TASKS)}")
    return gymnasium_suite.find_entry(id).model_copy(update={"suite": "mjx"})


def make(environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments:
    return JaxPool(wrap(environment, "functional", make_jax_environment(environment.id), purpose), count)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    """Gymnasium draws, from the state of the simulation here."""
    pool = JaxPool(wrap(environment, "functional", make_jax_environment(environment.id), "evaluate"), 1)
    shown: Any = gymnasium_suite.open_environment(environment.id, render_mode="rgb_array")
    shown.reset(seed=0)

    def frame() -> NDArray[np.uint8]:
        assert pool.now is not None, "reset the environment first"
        data = innermost(pool.now.states).data
        shown.unwrapped.set_state(np.asarray(data.qpos[0], np.float64), np.asarray(data.qvel[0], np.float64))
        return np.array(shown.render(), np.uint8)

    return rendering.tried(Renderer(pool, frame, shown.metadata["render_fps"]), environment.id)


def native_actions(id: str) -> NativeActions:
    """Those of Gymnasium's twin."""
    low, high = _plain_model(TASKS[id]).actuator_ctrlrange.T
    return bounded(low.shape, "float32", low, high)


def make_jax_environment(id: str) -> JaxEnvironment:
    info = info_of(find_entry(id))
    task = TASKS[id]
    limit = info.max_episode_steps
    assert limit is not None, f"Gymnasium gives {id} a time limit"
    plain = _plain_model(task)
    model = mjx.put_model(plain, impl="jax")
    low, high = plain.actuator_ctrlrange.T.astype(np.float32)

    def reset(key: Key) -> tuple[Simulation, Array]:
        qpos, qvel = task.begin(Start(key, jnp.asarray(model.qpos0, jnp.float32), jnp.zeros(plain.nv)))
        data = mjx.forward(model, mjx.make_data(plain, impl="jax").replace(qpos=qpos, qvel=qvel))
        return Simulation(data, jnp.int32(0)), task.observe(data)

    def step(state: Simulation, action: Array, key: Key) -> JaxStep:
        del key  # MuJoCo is deterministic
        control = scaled(action, low, high)
        data = _simulate(model, task, state.data.replace(ctrl=control))
        reward, terminated = task.judge(Moved(state.data, data, control, plain.opt.timestep * task.frame_skip))
        steps = state.steps + 1
        truncated = steps >= limit
        return JaxStep(Simulation(data, steps), task.observe(data), reward, terminated, truncated)

    return JaxEnvironment(info, reset, step)


def _simulate(model: mjx.Model, task: Task, data: Data) -> Data:
    data = jax.lax.fori_loop(0, task.frame_skip, lambda _, data: mjx.step(model, data), data)
    return mjx.rne_postconstraint(model, data) if task.feels_contacts else data


def _plain_model(task: Task) -> Any:
    file = resources.files("gymnasium.envs.mujoco") / "assets" / task.model
    return mujoco.MjModel.from_xml_path(str(file))  # pyright: ignore[reportAttributeAccessIssue]  (a C extension's)
