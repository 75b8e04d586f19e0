"""What the steps of a policy's network compute. Values have a leading batch axis, images their channels last.

Every operation is `(arrays, inputs, weights, settings) -> value`. `arrays` is NumPy, or a library with the same names:
JAX's replaces only convolutions and pooling (`phylon.worker.policies.stablehlo`). All of it is float32.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from phylon.policy.network import Step

Array = Any
Arrays = Any
"""The module `numpy`, or one like it."""
Operation = Callable[[Arrays, list[Array], Mapping[str, Array], Mapping[str, Any]], Array]


def run(
    arrays: Arrays,
    steps: tuple[Step, ...],
    values: Mapping[str, Array],
    weights: Mapping[str, Array],
    operations: Mapping[str, Operation],
) -> dict[str, Array]:
    """All values after the steps; `values`: those to begin with."""
    known = dict(values)
    for step in steps:
        inputs = [known[name] for name in step.inputs]
        own = {role: weights[name] for role, name in step.weights.items()}
        known[step.name] = operations[step.operation](arrays, inputs, own, step.settings)
    return known


def dense(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    return inputs[0] @ weights["kernel"] + weights["bias"]


def layer_norm(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    values = inputs[0]
    centred = values - arrays.mean(values, axis=-1, keepdims=True)
    variance = arrays.mean(arrays.square(centred), axis=-1, keepdims=True)
    return centred / arrays.sqrt(variance + settings["epsilon"]) * weights["scale"] + weights["bias"]


def convolution(
    arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]
) -> Array:
    """kernel [side, side, inputs, outputs]; the image has `margin` zeros on each side."""
    images, kernel, stride, margin = inputs[0], weights["kernel"], settings["stride"], settings["margin"]
    if margin:
        images = arrays.pad(images, ((0, 0), (margin, margin), (margin, margin), (0, 0)))
    side, _, channels, outputs = kernel.shape
    windows = arrays.lib.stride_tricks.sliding_window_view(images, (side, side), (1, 2))[:, ::stride, ::stride]
    count, rows, columns = windows.shape[:3]  # then channels, side, side
    flat = windows.reshape(count * rows * columns, channels * side * side)
    matrix = kernel.transpose(2, 0, 1, 3).reshape(channels * side * side, outputs)
    return (flat @ matrix).reshape(count, rows, columns, outputs) + weights["bias"]


def max_pool(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    """Maxima of 3 x 3 windows with stride 2, and one pixel of padding that never wins."""
    images = arrays.pad(inputs[0], ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-arrays.inf)
    for axis in (1, 2):
        end = 2 * ((images.shape[axis] - 1) // 2) - 1
        rows = [images[(slice(None),) * axis + (slice(first, first + end, 2),)] for first in range(3)]
        images = arrays.maximum(arrays.maximum(rows[0], rows[1]), rows[2])
    return images


def normalise(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    deviation = arrays.sqrt(weights["variance"] + arrays.float32(settings["smallest_variance"]))
    return arrays.clip((inputs[0] - weights["mean"]) / deviation, -settings["clip"], settings["clip"])


def between(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    """Smoothly into [low, high]."""
    low, high = settings["low"], settings["high"]
    return low + 0.5 * (high - low) * (1 + arrays.tanh(inputs[0]))


def everywhere(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    """The same for each row of the input."""
    return arrays.zeros_like(inputs[0]) + weights["value"]


def dueling(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    """Values of actions, of the observation's value and the advantages (Wang et al. 2016, equation 9)."""
    value, advantages = inputs
    return value + advantages - arrays.mean(advantages, axis=-1, keepdims=True)


def linear(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    """A policy of plug-ins: a matrix without a bias."""
    return inputs[0] @ weights["kernel"]


def scale(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    """Actions from [-1, 1] to the environment's bounds, in its shape; what lies outside is cut off."""
    low = arrays.asarray(settings["low"], arrays.float32)
    high = arrays.asarray(settings["high"], arrays.float32)
    flat = arrays.clip(low + (arrays.clip(inputs[0], -1, 1) + 1) / 2 * (high - low), low, high)
    return arrays.reshape(flat, (flat.shape[0], *settings["shape"]))


def count_from(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    """Discrete actions, of which the environment's first is `start`."""
    return inputs[0] + settings["start"]


def count_each_from(
    arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]
) -> Array:
    """Several choices at once, each with a first value of its own, in the environment's shape."""
    flat = inputs[0] + arrays.asarray(settings["starts"])
    return arrays.reshape(flat, (flat.shape[0], *settings["shape"]))


def part(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    """A stretch of a vector, in the shape that it had before it was laid flat."""
    values = inputs[0][:, settings["start"] : settings["stop"]]
    return arrays.reshape(values, (values.shape[0], *settings["shape"]))


def join(arrays: Arrays, inputs: list[Array], weights: Mapping[str, Array], settings: Mapping[str, Any]) -> Array:
    """Features of several torsos end to end."""
    return arrays.concatenate(inputs, axis=1)


def choose_each(arrays: Arrays, logits: Array, counts: Sequence[int]) -> Array:
    """The largest of each choice's logits, [batch, choices]."""
    stops = list(itertools.accumulate(counts))
    stretches = [logits[:, stop - count : stop] for count, stop in zip(counts, stops, strict=True)]
    return arrays.stack([arrays.argmax(stretch, axis=-1) for stretch in stretches], axis=-1)


def _elementwise(function: Callable[[Arrays, Array], Array]) -> Operation:
    return lambda arrays, inputs, weights, settings: function(arrays, inputs[0])


def _elu(arrays: Arrays, values: Array) -> Array:
    return arrays.where(values > 0, values, arrays.expm1(arrays.minimum(values, 0)))


def _sigmoid(arrays: Arrays, values: Array) -> Array:
    return 0.5 * (arrays.tanh(0.5 * values) + 1)  # never overflows


def _erf(arrays: Arrays, values: Array) -> Array:
    """Abramowitz & Stegun 7.1.26: off by less than 2e-7, and NumPy has none of its own."""
    size = arrays.abs(values)
    t = 1 / (1 + 0.3275911 * size)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return arrays.sign(values) * (1 - series * arrays.exp(-size * size))


OPERATIONS: Mapping[str, Operation] = {
    "dense": dense,
    "linear": linear,
    "layer_norm": layer_norm,
    "convolution": convolution,
    "max_pool": max_pool,
    "normalise": normalise,
    "between": between,
    "everywhere": everywhere,
    "dueling": dueling,
    "scale": scale,
    "count_from": count_from,
    "count_each_from": count_each_from,
    "part": part,
    "join": join,
    "add": lambda arrays, inputs, weights, settings: inputs[0] + inputs[1],
    "flatten": lambda arrays, inputs, weights, settings: inputs[0].reshape(inputs[0].shape[0], -1),
    "bytes_to_floats": _elementwise(lambda arrays, values: values / arrays.float32(255)),
    "relu": _elementwise(lambda arrays, values: arrays.maximum(values, 0)),
    "tanh": _elementwise(lambda arrays, values: arrays.tanh(values)),
    "elu": _elementwise(_elu),
    "gelu": _elementwise(lambda arrays, values: 0.5 * values * (1 + _erf(arrays, values * 0.5**0.5))),
    "silu": _elementwise(lambda arrays, values: values * _sigmoid(arrays, values)),
}
