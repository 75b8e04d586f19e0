"""Gymnasium's MuJoCo environments of version 5 as formulas: how an episode begins, what is seen, what is rewarded."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key

Data = Any
"""A `mujoco.mjx.Data`."""


class Start(NamedTuple):
    """How the model itself would begin: at `qpos`, without moving."""

    key: Key
    qpos: Array
    qvel: Array


class Moved(NamedTuple):
    """What one step did."""

    before: Data
    after: Data
    action: Array
    """In the units of the actuators."""
    seconds: float

    def speed(self) -> Array:
        """Along the first coordinate."""
        return (self.after.qpos[0] - self.before.qpos[0]) / self.seconds

    def effort(self) -> Array:
        return jnp.square(self.action).sum()


class Judgement(NamedTuple):
    reward: Array
    terminated: Array


class Task(NamedTuple):
    model: str
    """A file among Gymnasium's assets."""
    frame_skip: int
    """Steps of the simulation for each of ours."""
    begin: Callable[[Start], tuple[Array, Array]]
    """-> positions and velocities."""
    observe: Callable[[Data], Array]
    judge: Callable[[Moved], Judgement]
    feels_contacts: bool = False
    """Contact forces are seen and judged, which MJX computes only when asked."""


def _uniform_noise(scale: float) -> Callable[[Start], tuple[Array, Array]]:
    def begin(start: Start) -> tuple[Array, Array]:
        position_key, velocity_key = jax.random.split(start.key)
        return (
            start.qpos + _uniform(position_key, start.qpos.shape, -scale, scale),
            start.qvel + _uniform(velocity_key, start.qvel.shape, -scale, scale),
        )

    return begin


def _mixed_noise(scale: float) -> Callable[[Start], tuple[Array, Array]]:
    """Positions are uniform, velocities normal."""

    def begin(start: Start) -> tuple[Array, Array]:
        position_key, velocity_key = jax.random.split(start.key)
        return (
            start.qpos + _uniform(position_key, start.qpos.shape, -scale, scale),
            start.qvel + scale * jax.random.normal(velocity_key, start.qvel.shape),
        )

    return begin


def _uniform(key: Key, shape: tuple[int, ...], low: float, high: float) -> Array:
    return jax.random.uniform(key, shape, minval=low, maxval=high)


def _coordinates(skipped: int, fastest: float = jnp.inf) -> Callable[[Data], Array]:
    """Positions but the first ones, which say how far it went, and velocities."""

    def observe(data: Data) -> Array:
        return jnp.concatenate([data.qpos[skipped:], jnp.clip(data.qvel, -fastest, fastest)])

    return observe


def _run(effort_weight: float) -> Callable[[Moved], Judgement]:
    """Forward without end."""

    def judge(moved: Moved) -> Judgement:
        return Judgement(moved.speed() - effort_weight * moved.effort(), jnp.bool_(False))

    return judge


def _balance(data: Data) -> Array:
    return jnp.concatenate([data.qpos, data.qvel])


def _judge_balance(moved: Moved) -> Judgement:
    """Upright is all that counts."""
    data = moved.after
    fell = ~jnp.isfinite(_balance(data)).all() | (jnp.abs(data.qpos[1]) > 0.2)
    return Judgement(1.0 - fell, fell)


def _double_balance(data: Data) -> Array:
    angles, tension = data.qpos[1:], data.qfrc_constraint[:1]
    return jnp.concatenate(
        [data.qpos[:1], jnp.sin(angles), jnp.cos(angles), jnp.clip(data.qvel, -10, 10), jnp.clip(tension, -10, 10)]
    )


def _judge_double_balance(moved: Moved) -> Judgement:
    tip, qvel = moved.after.site_xpos[0], moved.after.qvel
    fell = tip[2] <= 1
    distance = 0.01 * tip[0] ** 2 + (tip[2] - 2) ** 2
    return Judgement(10.0 * ~fell - distance - 1e-3 * qvel[1] ** 2 - 5e-3 * qvel[2] ** 2, fell)


def _stay_upright(heights: tuple[float, float], angle: float, largest: float = jnp.inf) -> Callable[[Moved], Judgement]:
    """Forward on legs, until it falls."""

    def judge(moved: Moved) -> Judgement:
        data = moved.after
        low, high = heights
        stands = (low < data.qpos[1]) & (data.qpos[1] < high) & (jnp.abs(data.qpos[2]) < angle)
        stands &= (jnp.abs(jnp.concatenate([data.qpos[2:], data.qvel])) < largest).all()
        return Judgement(moved.speed() + stands - 1e-3 * moved.effort(), ~stands)

    return judge


REACHER_FINGERTIP, REACHER_TARGET = 3, 4


def _begin_reacher(start: Start) -> tuple[Array, Array]:
    arm_key, radius_key, angle_key, velocity_key = jax.random.split(start.key, 4)
    radius = 0.2 * jnp.sqrt(jax.random.uniform(radius_key))  # so that all of the disc is equally likely
    angle = jax.random.uniform(angle_key, maxval=2 * jnp.pi)
    goal = radius * jnp.stack([jnp.cos(angle), jnp.sin(angle)])
    arm = start.qpos[:2] + _uniform(arm_key, (2,), -0.1, 0.1)
    velocity = start.qvel[:2] + _uniform(velocity_key, (2,), -0.005, 0.005)
    return jnp.concatenate([arm, goal]), jnp.concatenate([velocity, jnp.zeros(2)])


def _reach(data: Data) -> Array:
    angles, gap = data.qpos[:2], data.xpos[REACHER_FINGERTIP] - data.xpos[REACHER_TARGET]
    return jnp.concatenate([jnp.cos(angles), jnp.sin(angles), data.qpos[2:], data.qvel[:2], gap[:2]])


def _judge_reach(moved: Moved) -> Judgement:
    gap = moved.after.xpos[REACHER_FINGERTIP] - moved.after.xpos[REACHER_TARGET]
    return Judgement(-jnp.linalg.norm(gap) - moved.effort(), jnp.bool_(False))


PUSHER_TIP, PUSHER_OBJECT, PUSHER_GOAL = 10, 11, 12
PUSHER_CLEARANCE = 0.17
"""The object begins at least this far from the goal."""


def _begin_pusher(start: Start) -> tuple[Array, Array]:
    place_key, velocity_key = jax.random.split(start.key)

    def redraw(drawn: tuple[Key, Array]) -> tuple[Key, Array]:
        key, draw_key = jax.random.split(drawn[0])
        return key, jax.random.uniform(draw_key, (2,), minval=jnp.array([-0.3, -0.2]), maxval=jnp.array([0.0, 0.2]))

    def is_too_near(drawn: tuple[Key, Array]) -> Array:
        return jnp.linalg.norm(drawn[1]) <= PUSHER_CLEARANCE

    _, place = jax.lax.while_loop(is_too_near, redraw, (place_key, jnp.zeros(2)))
    qpos = jnp.concatenate([start.qpos[:-4], place, jnp.zeros(2)])
    velocity = start.qvel[:-4] + _uniform(velocity_key, (len(start.qvel) - 4,), -0.005, 0.005)
    return qpos, jnp.concatenate([velocity, jnp.zeros(4)])


def _push(data: Data) -> Array:
    places = data.xpos[jnp.array([PUSHER_TIP, PUSHER_OBJECT, PUSHER_GOAL])]
    return jnp.concatenate([data.qpos[:7], data.qvel[:7], places.ravel()])


def _judge_push(moved: Moved) -> Judgement:
    places = moved.after.xpos
    near = jnp.linalg.norm(places[PUSHER_OBJECT] - places[PUSHER_TIP])
    far = jnp.linalg.norm(places[PUSHER_OBJECT] - places[PUSHER_GOAL])
    return Judgement(-far - 0.1 * moved.effort() - 0.5 * near, jnp.bool_(False))


ANT_TORSO = 1


def _contact_forces(data: Data) -> Array:
    return jnp.clip(data._impl.cfrc_ext, -1, 1)


def _crawl(data: Data) -> Array:
    return jnp.concatenate([data.qpos[2:], data.qvel, _contact_forces(data)[1:].ravel()])


def _judge_crawl(moved: Moved) -> Judgement:
    data = moved.after
    speed = (data.xpos[ANT_TORSO, 0] - moved.before.xpos[ANT_TORSO, 0]) / moved.seconds
    is_well = jnp.isfinite(jnp.concatenate([data.qpos, data.qvel])).all() & (data.qpos[2] >= 0.2) & (data.qpos[2] <= 1)
    contact = jnp.square(_contact_forces(data)).sum()
    return Judgement(speed + is_well - 0.5 * moved.effort() - 5e-4 * contact, ~is_well)


TASKS = {
    "Ant-v5": Task("ant.xml", 5, _mixed_noise(0.1), _crawl, _judge_crawl, feels_contacts=True),
    "HalfCheetah-v5": Task("half_cheetah.xml", 5, _mixed_noise(0.1), _coordinates(1), _run(0.1)),
    "Hopper-v5": Task(
        "hopper.xml", 4, _uniform_noise(5e-3), _coordinates(1, 10.0), _stay_upright((0.7, jnp.inf), 0.2, largest=100.0)
    ),
    "InvertedDoublePendulum-v5": Task(
        "inverted_double_pendulum.xml", 5, _mixed_noise(0.1), _double_balance, _judge_double_balance
    ),
    "InvertedPendulum-v5": Task("inverted_pendulum.xml", 2, _uniform_noise(0.01), _balance, _judge_balance),
    "Pusher-v5": Task("pusher_v5.xml", 5, _begin_pusher, _push, _judge_push),
    "Reacher-v5": Task("reacher.xml", 2, _begin_reacher, _reach, _judge_reach),
    "Swimmer-v5": Task("swimmer.xml", 4, _uniform_noise(0.1), _coordinates(2), _run(1e-4)),
    "Walker2d-v5": Task(
        "walker2d_v5.xml", 4, _uniform_noise(5e-3), _coordinates(1, 10.0), _stay_upright((0.8, 2.0), 1.0)
    ),
}
"""Humanoid is missing: MJX has not the solver that its model asks for."""
