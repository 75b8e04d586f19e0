"""Policies and critics of the actor-critic algorithms for continuous actions."""

import jax
import jax.numpy as jnp

from phylon.spec import MLPSpec
from phylon.worker.core.types import Array, EnvironmentInfo, Key, Params
from phylon.worker.networks.distributions import TanhNormal
from phylon.worker.networks.mlp import Head, mlp, mlp_with_heads
from phylon.worker.networks.network import Network

LOWEST_LOG_STD, HIGHEST_LOG_STD = -10.0, 2.0


def deterministic_policy(spec: MLPSpec, info: EnvironmentInfo) -> Network:
    """Observation [..., obs] -> action [..., action] in [-1, 1]."""
    (observation_size,) = info.observation_shape
    body = mlp(spec, observation_size, info.action_size)

    def apply(params: Params, obs: Array) -> Array:
        return jnp.tanh(body.apply(params, obs))

    return Network(body.init, apply)


def tanh_normal_policy(spec: MLPSpec, info: EnvironmentInfo) -> Network[TanhNormal]:
    """Observation [..., obs] -> distribution of actions [..., action] in [-1, 1]; deviations are outputs too."""
    (observation_size,) = info.observation_shape
    heads = {"output_mean": Head(info.action_size), "output_log_std": Head(info.action_size, gain=1.0)}
    body = mlp_with_heads(spec, observation_size, heads)

    def apply(params: Params, obs: Array) -> TanhNormal:
        outputs = body.apply(params, obs)
        return TanhNormal(outputs["output_mean"], squashed_log_std(outputs["output_log_std"]))

    return Network(body.init, apply)


def squashed_log_std(raw: Array) -> Array:
    """Smoothly into [-10, 2], as in jaxrl: unlike clipping, it never zeroes the gradient."""
    return LOWEST_LOG_STD + 0.5 * (HIGHEST_LOG_STD - LOWEST_LOG_STD) * (1 + jnp.tanh(raw))


def critic_ensemble(spec: MLPSpec, info: EnvironmentInfo, critics: int) -> Network:
    """(observation [..., obs], action [..., action]) -> value [critics, ...]. Weights are stacked on axis 0."""
    (observation_size,) = info.observation_shape
    body = mlp(spec, observation_size + info.action_size, 1)

    def init(key: Key) -> Params:
        return jax.vmap(body.init)(jax.random.split(key, critics))

    def apply(params: Params, obs: Array, action: Array) -> Array:
        values = jax.vmap(body.apply, in_axes=(0, None))(params, jnp.concatenate([obs, action], axis=-1))
        return jnp.squeeze(values, axis=-1)

    return Network(init, apply)
