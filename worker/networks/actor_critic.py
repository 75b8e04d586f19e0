"""Policies and critics of the actor-critic algorithms for continuous actions."""

import jax
import jax.numpy as jnp

from phylon.spec import NetworkSpec
from worker.core.types import Array, EnvironmentInfo, Key, Params
from worker.networks.mlp import MLP
from worker.networks.network import Network


def deterministic_policy(spec: NetworkSpec, info: EnvironmentInfo) -> Network:
    """Observation [..., obs] -> action [..., action] in [-1, 1]."""
    body = MLP(spec.hidden, info.action_size, spec.activation)

    def init(key: Key) -> Params:
        return body.init(key, jnp.zeros(info.observation_shape))

    def apply(params: Params, obs: Array) -> Array:
        return jnp.tanh(body.apply(params, obs))

    return Network(init, apply)


def critic_ensemble(spec: NetworkSpec, info: EnvironmentInfo, critics: int) -> Network:
    """(observation [..., obs], action [..., action]) -> value [critics, ...]. Weights are stacked on axis 0."""
    body = MLP(spec.hidden, 1, spec.activation)
    width = info.observation_shape[0] + info.action_size

    def init_one(key: Key) -> Params:
        return body.init(key, jnp.zeros(width))

    def init(key: Key) -> Params:
        return jax.vmap(init_one)(jax.random.split(key, critics))

    def apply(params: Params, obs: Array, action: Array) -> Array:
        inputs = jnp.concatenate([obs, action], axis=-1)
        return jax.vmap(body.apply, in_axes=(0, None))(params, inputs)[..., 0]

    return Network(init, apply)
