"""How large an algorithm's networks are, by arithmetic: the forecast of a spec must not need JAX.

Weights are exact. Activations are what a gradient step remembers of each row of its batch, an estimate: every layer's
sum and its activation, whatever a compiler then saves of it.
"""

import math
from typing import NamedTuple

from phylon.catalogue.entry import EnvironmentEntry, Space
from phylon.forecast.sizes import NOTHING, Size
from phylon.spec.algorithms.convolutions import CNNSpec, ImpalaSpec, NetworkSpec
from phylon.spec.algorithms.networks import MLPSpec

KERNEL, BLOCKS = 3, 2
"""Of an IMPALA network: side of its windows, residual blocks of a stage."""


def action_size(entry: EnvironmentEntry) -> int:
    """Length of a continuous action, or the number of discrete ones, of all choices together."""
    return entry.action.n or sum(entry.action.counts) or math.prod(entry.action.shape)


def mlp(spec: MLPSpec, inputs: int, outputs: int) -> Size:
    """`outputs` counts those of all heads."""
    total = NOTHING
    for number, width in enumerate(spec.hidden):
        is_normalised = spec.layer_norm == "all" or (spec.layer_norm == "first" and number == 0)
        total += _dense(inputs, width) + Size(2 * width if is_normalised else 0, width * (1 + is_normalised))
        inputs = width
    return total + _dense(inputs, outputs)


def with_torso(spec: NetworkSpec, observation: Space, outputs: int) -> Size:
    """A network that looks at images or at vectors, with all its heads."""
    features, torso = _torso(spec, observation)
    return torso + mlp(_layers(spec), features, outputs)


def dueling(spec: NetworkSpec, observation: Space, actions: int) -> Size:
    features, torso = _torso(spec, observation)
    return torso + mlp(_layers(spec), features, 1) + mlp(_layers(spec), features, actions)


def _layers(spec: NetworkSpec) -> MLPSpec:
    return spec if isinstance(spec, MLPSpec) else MLPSpec(hidden=spec.hidden)


def _torso(spec: NetworkSpec, observation: Space) -> tuple[int, Size]:
    """The number of its features, and its size: of images beside numbers, one torso each."""
    images = [part for part in observation.parts if part.is_image]
    if not images or isinstance(spec, MLPSpec):
        return _one_torso(spec, observation.shape)
    torsos = [_one_torso(spec, part.shape) for part in images]
    numbers = observation.shape[0] - sum(part.size for part in images)
    return numbers + sum(features for features, _ in torsos), sum((size for _, size in torsos), NOTHING)


def _one_torso(spec: NetworkSpec, observation: tuple[int, ...]) -> tuple[int, Size]:
    match spec:
        case MLPSpec():
            return math.prod(observation), NOTHING
        case CNNSpec():
            return _convolutions(spec, observation)
        case ImpalaSpec():
            return _impala(spec, observation)


def _convolutions(spec: CNNSpec, observation: tuple[int, ...]) -> tuple[int, Size]:
    rows, columns, channels = observation
    total = Size(0, math.prod(observation))  # bytes become numbers
    for outputs, kernel, stride in zip(spec.channels, spec.kernels, spec.strides, strict=True):
        rows, columns = (rows - kernel) // stride + 1, (columns - kernel) // stride + 1
        total += Size(_window(kernel, channels, outputs), 2 * rows * columns * outputs)
        channels = outputs
    return rows * columns * channels, total


def _impala(spec: ImpalaSpec, observation: tuple[int, ...]) -> tuple[int, Size]:
    rows, columns, channels = observation
    total = Size(0, math.prod(observation))
    for outputs in spec.channels:
        total += Size(_window(KERNEL, channels, outputs), rows * columns * outputs)
        rows, columns, channels = math.ceil(rows / 2), math.ceil(columns / 2), outputs
        pixels = rows * columns * channels
        # the pooled image, and of each block two activations and two convolutions
        block = Size(2 * _window(KERNEL, channels, channels), 4 * pixels)
        total += Size(0, pixels) + block.times(BLOCKS)
    return rows * columns * channels, total


def _dense(inputs: int, outputs: int) -> Size:
    return Size((inputs + 1) * outputs, outputs)


def _window(side: int, inputs: int, outputs: int) -> int:
    return (side * side * inputs + 1) * outputs


class ActorCriticSizes(NamedTuple):
    policy: Size
    critic: Size


def actor_critic(network: MLPSpec, entry: EnvironmentEntry, outputs: int, critics: int) -> ActorCriticSizes:
    """`outputs`: of the policy, for each dimension of an action."""
    inputs, actions = math.prod(entry.observation.shape), action_size(entry)
    return ActorCriticSizes(mlp(network, inputs, outputs * actions), mlp(network, inputs + actions, 1).times(critics))


def policy_and_value(spec: NetworkSpec, entry: EnvironmentEntry, is_shared: bool) -> Size:
    """One network with both heads, or two; deviations of a Gaussian policy are weights."""
    observation, actions = entry.observation, action_size(entry)
    if is_shared:
        networks = with_torso(spec, observation, actions + 1)
    else:
        networks = with_torso(spec, observation, actions) + with_torso(spec, observation, 1)
    return networks + Size(actions if entry.action.kind == "box" else 0, 0)
