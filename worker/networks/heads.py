"""Networks of the algorithms that learn from images as well as from vectors: action values, policy and value."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec.algorithms.convolutions import NetworkSpec
from phylon.worker.core.types import Array, EnvironmentInfo, Key, Params
from phylon.worker.networks.distributions import ActionDistribution, Categorical, DiagonalNormal, factored
from phylon.worker.networks.mlp import Head, mlp_with_heads
from phylon.worker.networks.network import Network
from phylon.worker.networks.torsos import torso

POLICY_GAIN = 0.01
"""The initial policy is almost the same for all observations, as in the code of PPO's authors."""


class PolicyAndValue(NamedTuple):
    policy: ActionDistribution
    value: Array
    """[...]"""


def action_values(spec: NetworkSpec, info: EnvironmentInfo, dueling: bool) -> Network:
    """Observation [..., *shape] -> the value of each action, [..., actions].

    A dueling network (Wang et al. 2016, equation 9) has separate dense layers for the value of the observation and for
    the advantages of the actions, from which their mean is subtracted.
    """
    if not dueling:
        plain = with_heads(spec, info, {"output": Head(info.action_size)})
        return Network(plain.init, lambda params, obs: plain.apply(params, obs)["output"])
    base = torso(spec, info)
    value = mlp_with_heads(base.layers, base.features, {"output": Head(1)})
    advantage = mlp_with_heads(base.layers, base.features, {"output": Head(info.action_size)})

    def init(key: Key) -> Params:
        torso_key, value_key, advantage_key = jax.random.split(key, 3)
        return {
            "torso": base.network.init(torso_key),
            "value": value.init(value_key),
            "advantage": advantage.init(advantage_key),
        }

    def apply(params: Params, obs: Array) -> Array:
        features = base.network.apply(params["torso"], obs)
        advantages = advantage.apply(params["advantage"], features)["output"]
        values = value.apply(params["value"], features)["output"]
        return values + advantages - jnp.mean(advantages, axis=-1, keepdims=True)

    return Network(init, apply)


def policy_and_value(spec: NetworkSpec, info: EnvironmentInfo, is_shared: bool) -> Network[PolicyAndValue]:
    """Observation [..., *shape] -> a distribution over actions, and the value of the observation.

    Either two networks, or two heads of one. The deviation of a continuous policy is one weight per action dimension,
    independent of the observation; it starts at 1.
    """
    policy_head, value_head = Head(info.action_size, gain=POLICY_GAIN), Head(1, gain=1.0)
    if is_shared:
        bodies = {"shared": with_heads(spec, info, {"output_policy": policy_head, "output_value": value_head})}
    else:
        bodies = {
            "policy": with_heads(spec, info, {"output_policy": policy_head}),
            "value": with_heads(spec, info, {"output_value": value_head}),
        }

    def init(key: Key) -> Params:
        keys = jax.random.split(key, len(bodies))
        params = {name: body.init(body_key) for body_key, (name, body) in zip(keys, bodies.items(), strict=True)}
        return params if info.has_choices else params | {"output_log_std": jnp.zeros(info.action_size)}

    def apply(params: Params, obs: Array) -> PolicyAndValue:
        outputs: dict[str, Array] = {}
        for name, body in bodies.items():
            outputs |= body.apply(params[name], obs)
        logits_or_mean, value = outputs["output_policy"], outputs["output_value"][..., 0]
        if info.is_discrete:
            return PolicyAndValue(Categorical(logits_or_mean), value)
        if info.action_counts:
            return PolicyAndValue(factored(logits_or_mean, info.action_counts), value)
        log_std = params["output_log_std"].reshape((1,) * (logits_or_mean.ndim - 1) + (-1,))
        return PolicyAndValue(DiagonalNormal(logits_or_mean, jnp.broadcast_to(log_std, logits_or_mean.shape)), value)

    return Network(init, apply)


def with_heads(spec: NetworkSpec, info: EnvironmentInfo, heads: dict[str, Head]) -> Network[dict[str, Array]]:
    """Observation [..., *shape] -> [..., width] for each head by its name: torso, dense layers, linear heads."""
    base = torso(spec, info)
    layers = mlp_with_heads(base.layers, base.features, heads)

    def init(key: Key) -> Params:
        torso_key, layers_key = jax.random.split(key)
        return {"torso": base.network.init(torso_key), "layers": layers.init(layers_key)}

    def apply(params: Params, obs: Array) -> dict[str, Array]:
        return layers.apply(params["layers"], base.network.apply(params["torso"], obs))

    return Network(init, apply)
