"""Environments with Brax's interface, which MuJoCo Playground kept: a whole state goes in, the next one comes out.

The wrappers of both are left aside: they lose the last observation of an episode, and begin every episode in the state
that the first began in.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
from gymnasium.envs.mujoco.mujoco_rendering import MujocoRenderer
from numpy.typing import NDArray

from phylon.catalogue import OTHER, EnvironmentEntry, box
from phylon.policy.network import NativeActions
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.types import Array, EnvironmentInfo, Key
from phylon.worker.environments import rendering
from phylon.worker.environments.host import Purpose, Renderer
from phylon.worker.environments.jax_environment import JaxEnvironment, JaxPool, JaxStep
from phylon.worker.environments.spaces import bounded, info_of
from phylon.worker.environments.wrappers import wrap
from phylon.worker.environments.wrappers.functional import innermost

PICTURE_SIDE = 480


class Simulation(NamedTuple):
    now: Any
    """The environment's own state."""
    steps: Array


def describe(suite: str, id: str, family: str, environment: Any, max_episode_steps: int) -> EnvironmentEntry:
    obs = jax.eval_shape(environment.reset, jax.random.PRNGKey(0)).obs
    return EnvironmentEntry(
        suite=suite,
        id=id,
        family=family,
        observation=box(obs.shape, "float32") if isinstance(obs, jax.ShapeDtypeStruct) else OTHER,
        action=box((int(environment.action_size),), "float32"),
        max_episode_steps=max_episode_steps,
    )


def native_actions(environment: Any) -> NativeActions:
    return bounded((int(environment.action_size),), "float32", -1, 1)


def make_pool(
    spec: EnvironmentSpec, entry: EnvironmentEntry, environment: Any, count: int, purpose: Purpose
) -> JaxPool:
    return JaxPool(wrap(spec, "functional", make_jax_environment(info_of(entry), environment), purpose), count)


def make_jax_environment(info: EnvironmentInfo, environment: Any) -> JaxEnvironment:
    limit = info.max_episode_steps
    assert limit is not None, "neither library ends episodes by itself"

    def reset(key: Key) -> tuple[Simulation, Array]:
        state = environment.reset(jax.random.key_data(key))  # both libraries still take keys of the old kind
        return Simulation(state, jnp.int32(0)), _observation(state)

    def step(state: Simulation, action: Array, key: Key) -> JaxStep:
        del key  # what is random is drawn from a key within the state
        after = environment.step(state.now, action)
        now = jax.tree.map(lambda new, old: jnp.asarray(new, jnp.result_type(old)), after, state.now)
        steps = state.steps + 1
        # `done` always is an end of the task: that Brax calls a fall of its pendulum a time-out is a trick for its PPO.
        return JaxStep(Simulation(now, steps), _observation(now), now.reward, now.done > 0, steps >= limit)

    return JaxEnvironment(info, reset, step)


def _observation(state: Any) -> Array:
    return state.obs.astype(jnp.float32)


def make_renderer(
    pool: JaxPool, environment: Any, model: Any, place: Callable[[Any, Any], None], id: str
) -> Renderer | None:
    """MuJoCo draws. `place(state, data)` copies where everything stands, of a state on the host, into MuJoCo's data."""
    data = mujoco.MjData(model)  # pyright: ignore[reportAttributeAccessIssue]  (a C extension's)
    camera = 0 if model.ncam else None
    drawing = MujocoRenderer(model, data, width=PICTURE_SIDE, height=PICTURE_SIDE, camera_id=camera)

    def frame() -> NDArray[np.uint8]:
        assert pool.now is not None, "reset the environment first"
        place(jax.tree.map(lambda leaf: np.asarray(leaf[0]), innermost(pool.now.states).now), data)
        mujoco.mj_forward(model, data)  # pyright: ignore[reportAttributeAccessIssue]
        return np.array(drawing.render("rgb_array"), np.uint8)

    return rendering.tried(Renderer(pool, frame, round(1 / environment.dt)), id)
