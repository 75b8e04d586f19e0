"""Wrappers around environments that are pure functions: compiled with them, they cost next to nothing."""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec.wrappers.observations import FlattenSpec, FrameStackSpec
from phylon.spec.wrappers.rewards import ClipRewardSpec, ScaleRewardSpec
from phylon.spec.wrappers.time import ActionRepeatSpec, StickyActionsSpec, TimeLimitSpec
from phylon.worker.core.types import Array, EnvironmentInfo, Key
from phylon.worker.environments.jax_environment import EnvironmentState, JaxEnvironment, JaxStep


class Around(NamedTuple):
    """A state with what a wrapper remembers beside it."""

    inner: EnvironmentState
    own: EnvironmentState


def innermost(state: EnvironmentState) -> EnvironmentState:
    """The environment's own state."""
    return innermost(state.inner) if isinstance(state, Around) else state


def scale_reward(spec: ScaleRewardSpec, environment: JaxEnvironment, info: EnvironmentInfo) -> JaxEnvironment:
    def step(state: EnvironmentState, action: Array, key: Key) -> JaxStep:
        result = environment.step(state, action, key)
        return result._replace(reward=result.reward * spec.factor)

    return JaxEnvironment(info, environment.reset, step)


def clip_reward(spec: ClipRewardSpec, environment: JaxEnvironment, info: EnvironmentInfo) -> JaxEnvironment:
    def step(state: EnvironmentState, action: Array, key: Key) -> JaxStep:
        result = environment.step(state, action, key)
        return result._replace(reward=jnp.clip(result.reward, spec.low, spec.high))

    return JaxEnvironment(info, environment.reset, step)


def action_repeat(spec: ActionRepeatSpec, environment: JaxEnvironment, info: EnvironmentInfo) -> JaxEnvironment:
    def step(state: EnvironmentState, action: Array, key: Key) -> JaxStep:
        keys = jax.random.split(key, spec.steps)

        def again(before: JaxStep, key: Key) -> tuple[JaxStep, None]:
            """An episode that ended stays where it is."""
            after = environment.step(before.state, action, key)
            after = after._replace(reward=before.reward + after.reward)
            has_ended = before.terminated | before.truncated
            return jax.tree.map(lambda old, new: jnp.where(has_ended, old, new), before, after), None

        first = environment.step(state, action, keys[0])
        return jax.lax.scan(again, first, keys[1:])[0]

    return JaxEnvironment(info, environment.reset, step)


def sticky_actions(spec: StickyActionsSpec, environment: JaxEnvironment, info: EnvironmentInfo) -> JaxEnvironment:
    def reset(key: Key) -> tuple[EnvironmentState, Array]:
        state, obs = environment.reset(key)
        return Around(state, (jnp.zeros(info.action_shape, info.action_dtype), jnp.zeros((), bool))), obs

    def step(state: Around, action: Array, key: Key) -> JaxStep:
        stick_key, step_key = jax.random.split(key)
        previous, has_previous = state.own
        is_kept = has_previous & (jax.random.uniform(stick_key) < spec.probability)
        action = jnp.where(is_kept, previous, action.astype(previous.dtype))
        result = environment.step(state.inner, action, step_key)
        return result._replace(state=Around(result.state, (action, jnp.ones((), bool))))

    return JaxEnvironment(info, reset, step)


def time_limit(spec: TimeLimitSpec, environment: JaxEnvironment, info: EnvironmentInfo) -> JaxEnvironment:
    def reset(key: Key) -> tuple[EnvironmentState, Array]:
        state, obs = environment.reset(key)
        return Around(state, jnp.zeros((), jnp.int32)), obs

    def step(state: Around, action: Array, key: Key) -> JaxStep:
        result, steps = environment.step(state.inner, action, key), state.own + 1
        return result._replace(state=Around(result.state, steps), truncated=result.truncated | (steps >= spec.steps))

    return JaxEnvironment(info, reset, step)


def frame_stack(spec: FrameStackSpec, environment: JaxEnvironment, info: EnvironmentInfo) -> JaxEnvironment:
    def reset(key: Key) -> tuple[EnvironmentState, Array]:
        state, obs = environment.reset(key)
        stack = jnp.concatenate([obs] * spec.frames, axis=-1)
        return Around(state, stack), stack

    def step(state: Around, action: Array, key: Key) -> JaxStep:
        result = environment.step(state.inner, action, key)
        stack = jnp.concatenate([state.own[..., result.obs.shape[-1] :], result.obs], axis=-1)
        return result._replace(state=Around(result.state, stack), obs=stack)

    return JaxEnvironment(info, reset, step)


def flatten(spec: FlattenSpec, environment: JaxEnvironment, info: EnvironmentInfo) -> JaxEnvironment:
    del spec
    size = math.prod(environment.info.observation_shape)

    def reset(key: Key) -> tuple[EnvironmentState, Array]:
        state, obs = environment.reset(key)
        return state, obs.reshape(size)

    def step(state: EnvironmentState, action: Array, key: Key) -> JaxStep:
        result = environment.step(state, action, key)
        return result._replace(obs=result.obs.reshape(size))

    return JaxEnvironment(info, reset, step)
