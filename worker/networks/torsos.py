"""What a network makes of an observation before its dense layers: features of an image, or a vector as it is."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec.algorithms.convolutions import CNNSpec, ImpalaSpec, NetworkSpec
from phylon.spec.algorithms.networks import MLPSpec
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.images import as_floats
from phylon.worker.core.types import Array, EnvironmentInfo, Params
from phylon.worker.networks.convolutions import convolutions
from phylon.worker.networks.impala import impala
from phylon.worker.networks.network import Network


class Torso(NamedTuple):
    network: Network
    """Observations [..., *shape], as bytes or floats -> features [..., features]."""
    features: int
    layers: MLPSpec
    """The dense layers that the spec wants on top."""


def torso(spec: NetworkSpec, info: EnvironmentInfo) -> Torso:
    _require_rank(spec, info)
    match spec:
        case MLPSpec():
            body, layers = Network(lambda key: {}, lambda params, obs: obs), spec
        case CNNSpec():
            body, layers = convolutions(spec, info.observation_shape), MLPSpec(hidden=spec.hidden, init=spec.init)
        case ImpalaSpec():
            body, layers = impala(spec, info.observation_shape), MLPSpec(hidden=spec.hidden, init="orthogonal")

    def apply(params: Params, obs: Array) -> Array:
        return body.apply(params, as_floats(obs))

    features = jax.eval_shape(lambda key: apply(body.init(key), jnp.zeros(info.observation_shape)), jax.random.key(0))
    return Torso(Network(body.init, apply), features.shape[-1], layers)


def _require_rank(spec: NetworkSpec, info: EnvironmentInfo) -> None:
    shape = info.observation_shape
    if isinstance(spec, MLPSpec):
        if len(shape) != 1:
            raise UnsupportedEnvironment(
                f"an MLP needs a vector to look at, not observations of shape {shape}",
                "use network: {kind: cnn} or network: {kind: impala}",
            )
    elif len(shape) != 3:
        raise UnsupportedEnvironment(
            f"a network of kind '{spec.kind}' needs images [height, width, channels], not shape {shape}",
            "use network: {kind: mlp}",
        )
