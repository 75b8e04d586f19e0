"""What a network makes of an observation before its dense layers: features of an image, or the vector unchanged."""

from typing import NamedTuple, cast

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax.nn import initializers

from phylon.policy.network import ImagePart, images_of, ranges_between
from phylon.spec.algorithms.convolutions import CNNSpec, ImpalaSpec, NetworkSpec
from phylon.spec.algorithms.networks import MLPSpec
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.images import as_floats
from phylon.worker.core.types import Array, EnvironmentInfo, Key, Params
from phylon.worker.networks.initialisers import Start, start_of
from phylon.worker.networks.layers import Convolution
from phylon.worker.networks.network import Network

IMPALA_BLOCKS = 2


class Torso(NamedTuple):
    network: Network
    """Observations [..., *shape], as bytes or floats -> features [..., features]."""
    features: int
    layers: MLPSpec
    """The dense layers that the spec wants on top."""


def torso(spec: NetworkSpec, info: EnvironmentInfo) -> Torso:
    images = images_of(info.observation_parts)
    if images and not isinstance(spec, MLPSpec):
        return _torso_of_parts(spec, info, images)
    return _one_torso(spec, info)


def _torso_of_parts(spec: NetworkSpec, info: EnvironmentInfo, images: tuple[ImagePart, ...]) -> Torso:
    """A torso for each image among the numbers of a vector; their features, then all other numbers."""
    (size,) = info.observation_shape
    torsos = [_one_torso(spec, info._replace(observation_shape=image.shape, observation_parts=())) for image in images]
    ranges = ranges_between(images, size)

    def init(key: Key) -> Params:
        keys = jax.random.split(key, len(torsos))
        return {f"image_{place}": each.network.init(keys[place]) for place, each in enumerate(torsos)}

    def apply(params: Params, obs: Array) -> Array:
        features: list[Array] = []
        for place, (each, image) in enumerate(zip(torsos, images, strict=True)):
            pixels = obs[..., image.start : image.stop].reshape(*obs.shape[:-1], *image.shape)
            features.append(each.network.apply(params[f"image_{place}"], pixels))
        features += [obs[..., start:stop] for start, stop in ranges]
        return jnp.concatenate(features, axis=-1)

    numbers = sum(stop - start for start, stop in ranges)
    return Torso(Network(init, apply), numbers + sum(each.features for each in torsos), torsos[0].layers)


def _one_torso(spec: NetworkSpec, info: EnvironmentInfo) -> Torso:
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
                f"an MLP needs a vector, not observations of shape {shape}",
                "use network: {kind: cnn} or network: {kind: impala}",
            )
    elif len(shape) != 3:
        raise UnsupportedEnvironment(
            f"a network of kind '{spec.kind}' needs images [height, width, channels], not shape {shape}",
            "use network: {kind: mlp}",
        )


def convolutions(spec: CNNSpec, shape: tuple[int, ...]) -> Network:
    """Float images [..., height, width, channels] of the given shape -> features [..., n]."""
    _require_pixels(spec, shape)
    layers = Convolutions(spec)

    def init(key: Key) -> Params:
        return layers.init(key, jnp.zeros(shape))

    def apply(params: Params, images: Array) -> Array:
        return cast(Array, layers.apply(params, images))

    return Network(init, apply)


class Convolutions(nn.Module):
    """The convolutions of DQN's network (Mnih et al. 2015): no padding, ReLU after each, flattened at the end."""

    spec: CNNSpec

    @nn.compact
    def __call__(self, values: Array) -> Array:
        layers = zip(self.spec.channels, self.spec.kernels, self.spec.strides, strict=True)
        for number, (channels, kernel, stride) in enumerate(layers):
            start = start_of(self.spec.init, kernel * kernel * values.shape[-1])
            values = Convolution(channels, kernel, start, stride, name=f"convolution_{number}")(values)
            values = nn.relu(values)
        return values.reshape(*values.shape[:-3], -1)


def _require_pixels(spec: CNNSpec, shape: tuple[int, ...]) -> None:
    """Without padding every layer shrinks the image, and a small image may vanish."""
    if min(spec.sides(min(shape[:2]))) < 1:
        raise UnsupportedEnvironment(
            f"images of shape {shape} are too small for kernels {spec.kernels} with strides {spec.strides}",
            "use smaller kernels or strides, fewer layers, or network: {kind: impala}",
        )


def impala(spec: ImpalaSpec, shape: tuple[int, ...]) -> Network:
    """Float images [..., height, width, channels] of the given shape -> features [..., n]."""
    layers = Impala(spec.channels)

    def init(key: Key) -> Params:
        return layers.init(key, jnp.zeros(shape))

    def apply(params: Params, images: Array) -> Array:
        return cast(Array, layers.apply(params, images))

    return Network(init, apply)


class Impala(nn.Module):
    """IMPALA's residual network (Espeholt et al. 2018, figure 3, right; Cobbe et al. 2020 for Procgen).

    each stage:  3 x 3 convolution, 3 x 3 max-pool with stride 2, two residual blocks
    each block:  x + convolution(relu(convolution(relu(x))))
    at the end:  relu, flat
    """

    channels: tuple[int, ...]

    @nn.compact
    def __call__(self, values: Array) -> Array:
        for number, channels in enumerate(self.channels):
            values = _convolution(channels, f"stage_{number}")(values)
            values = _max_pool(values)
            for block in range(IMPALA_BLOCKS):
                name = f"stage_{number}_block_{block}"
                change = _convolution(channels, f"{name}_first")(nn.relu(values))
                values += _convolution(channels, f"{name}_second")(nn.relu(change))
        return nn.relu(values).reshape(*values.shape[:-3], -1)


def _max_pool(images: Array) -> Array:
    """Maxima of 3 x 3 windows with stride 2 and padding.

    Computed from slices, first over rows and then over columns: its gradient takes a fourth of the time of a reduced
    window's.
    """
    border = ((0, 0),) * (images.ndim - 3) + ((1, 1), (1, 1), (0, 0))
    images = jnp.pad(images, border, constant_values=-jnp.inf)
    for axis in (-3, -2):
        count = (images.shape[axis] - 1) // 2
        slices = [jax.lax.slice_in_dim(images, first, first + 2 * count - 1, 2, axis) for first in range(3)]
        images = jnp.maximum(jnp.maximum(slices[0], slices[1]), slices[2])
    return images


def _convolution(channels: int, name: str) -> Convolution:
    """Weights start as in the Procgen code of DrAC's authors (Glorot & Bengio 2010), biases at zero."""
    start = Start(initializers.glorot_uniform(), initializers.zeros)
    return Convolution(channels, side=3, start=start, margin=1, name=name)
