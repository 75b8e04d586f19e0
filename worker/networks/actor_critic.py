"""Policies and critics of the actor-critic algorithms for continuous actions."""

import jax
import jax.numpy as jnp

from phylon.spec import MLPSpec
from worker.core.types import Array, EnvironmentInfo, Key, Params
from worker.networks.mlp import mlp
from worker.networks.network import Network


def deterministic_policy(spec: MLPSpec, info: EnvironmentInfo) -> Network:
    """Observation [..., obs] -> action [..., action] in [-1, 1]."""
    (observation_size,) = info.observation_shape
    body = mlp(spec, observation_size, info.action_size)

    def apply(params: Params, obs: Array) -> Array:
        return jnp.tanh(body.apply(params, obs))

    return Network(body.init, apply)


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
