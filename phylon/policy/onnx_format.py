"""A policy as an ONNX model, with weights inside: opset 17 and IR 8, which runtimes of years read.

Input: `observation` [batch, ...] of the card's type. Outputs: `action` [batch, ...], the policy's mode in the
environment's own numbers, and what the network says: `mean` and `log_std`, or `logits`, for those who draw themselves.
"""

import itertools
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from phylon.policy.network import ACTION, CHOSEN, OBSERVATION, Step
from phylon.policy.policy import Policy

OPSET, IR = 17, 8
NAME = "policy"


class OnnxMissing(RuntimeError):
    """The package `onnx` is not installed."""


def to_onnx(policy: Policy) -> bytes:
    try:
        import onnx  # pyright: ignore[reportMissingTypeStubs]
    except ModuleNotFoundError:
        raise OnnxMissing("ONNX files need the package onnx; run: pip install 'phylon[policies]'") from None
    graph = _Graph(onnx, policy)
    network, card = policy.network, policy.card
    graph.cast("observation_as_floats", OBSERVATION, np.float32)
    graph.rename[OBSERVATION] = "observation_as_floats"
    for step in network.steps:
        graph.add(step)
    outputs = {role: graph.node("Identity", [graph.name(value)], role) for role, value in network.outputs.items()}
    if network.counts:
        _choose_each(graph, network.counts)
    elif "logits" in outputs:
        graph.node("ArgMax", ["logits"], CHOSEN, axis=-1, keepdims=0)
    else:
        graph.node("Identity", ["mean"], CHOSEN)
    for step in network.finish:
        graph.add(step._replace(name="unscaled" if step.name == ACTION else step.name))
    graph.cast(ACTION, "unscaled", np.dtype(card["action"]["dtype"]))
    model = graph.model([ACTION, *outputs])
    onnx.checker.check_model(model)  # pyright: ignore[reportUnknownMemberType]
    return model.SerializeToString()


class _Graph:
    """Nodes while they are put together. ONNX has images with their channels first."""

    def __init__(self, onnx: Any, policy: Policy) -> None:
        self._onnx, self.policy = onnx, policy
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        self.rename: dict[str, str] = {}

    def name(self, value: str) -> str:
        return self.rename.get(value, value)

    def node(self, type: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._nodes.append(self._onnx.helper.make_node(type, inputs, [output], **attributes))
        return output

    def cast(self, output: str, value: str, type: Any) -> None:
        code = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(type))
        self.node("Cast", [value], output, to=code)

    def constant(self, name: str, value: Any) -> str:
        self._constants[name] = self._onnx.numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def number(self, value: float) -> str:
        return self.constant(f"number_{value!r}", np.float32(value))

    def weight(self, name: str) -> str:
        return self.constant(name, self.policy.weights[name])

    def add(self, step: Step) -> None:
        inputs = [self.name(value) for value in step.inputs]
        translate = _TRANSLATIONS.get(step.operation)
        if translate is None:
            self.node(_SAME[step.operation], inputs, step.name)
        else:
            translate(self, step, inputs)

    def model(self, outputs: list[str]) -> Any:
        helper, card = self._onnx.helper, self.policy.card
        shape = ["batch", *self.policy.observation_shape]
        type = helper.np_dtype_to_tensor_dtype(np.dtype(card["observation"]["dtype"]))
        action = card["action"]
        size = action.get("n") or sum(action.get("counts", ())) or len(action["low"])

        def output(name: str) -> Any:
            is_action = name == ACTION
            code = helper.np_dtype_to_tensor_dtype(np.dtype(card["action"]["dtype"] if is_action else np.float32))
            shape = card["action"].get("shape", []) if is_action else [size]
            return helper.make_tensor_value_info(name, code, ["batch", *shape])

        graph = helper.make_graph(
            self._nodes,
            NAME,
            [helper.make_tensor_value_info(OBSERVATION, type, shape)],
            [output(name) for name in outputs],
            list(self._constants.values()),
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR, producer_name="phylon"
        )
        about = {name: card[name] for name in ("format", "provenance") if name in card}
        helper.set_model_props(model, {name: json.dumps(value) for name, value in about.items()})
        return model


def _dense(graph: _Graph, step: Step, inputs: list[str]) -> None:
    weights = [graph.weight(step.weights["kernel"]), graph.weight(step.weights["bias"])]
    graph.node("Gemm", [*inputs, *weights], step.name)


def _linear(graph: _Graph, step: Step, inputs: list[str]) -> None:
    graph.node("MatMul", [*inputs, graph.weight(step.weights["kernel"])], step.name)


def _layer_norm(graph: _Graph, step: Step, inputs: list[str]) -> None:
    weights = [graph.weight(step.weights["scale"]), graph.weight(step.weights["bias"])]
    graph.node("LayerNormalization", [*inputs, *weights], step.name, axis=-1, epsilon=step.settings["epsilon"])


def _convolution(graph: _Graph, step: Step, inputs: list[str]) -> None:
    kernel = graph.policy.weights[step.weights["kernel"]].transpose(3, 2, 0, 1)
    weights = [graph.constant(f"{step.weights['kernel']}:first", kernel), graph.weight(step.weights["bias"])]
    margin, stride = step.settings["margin"], step.settings["stride"]
    _with_channels_first(graph, step, "Conv", inputs, weights, pads=[margin] * 4, strides=[stride] * 2)


def _max_pool(graph: _Graph, step: Step, inputs: list[str]) -> None:
    _with_channels_first(graph, step, "MaxPool", inputs, [], kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2])


def _with_channels_first(
    graph: _Graph, step: Step, type: str, inputs: list[str], weights: list[str], **attributes: Any
) -> None:
    first = graph.node("Transpose", inputs, f"{step.name}_in", perm=[0, 3, 1, 2])
    result = graph.node(type, [first, *weights], f"{step.name}_out", **attributes)
    graph.node("Transpose", [result], step.name, perm=[0, 2, 3, 1])


def _normalise(graph: _Graph, step: Step, inputs: list[str]) -> None:
    weights, clip = graph.policy.weights, step.settings["clip"]
    deviation = np.sqrt(weights[step.weights["variance"]] + np.float32(step.settings["smallest_variance"]))
    centred = graph.node("Sub", [*inputs, graph.weight(step.weights["mean"])], f"{step.name}_centred")
    scaled = graph.node("Div", [centred, graph.constant(f"{step.name}_deviation", deviation)], f"{step.name}_scaled")
    graph.node("Clip", [scaled, graph.number(-clip), graph.number(clip)], step.name)


def _between(graph: _Graph, step: Step, inputs: list[str]) -> None:
    low, half = step.settings["low"], 0.5 * (step.settings["high"] - step.settings["low"])
    squashed = graph.node("Tanh", inputs, f"{step.name}_tanh")
    wide = graph.node("Mul", [squashed, graph.number(half)], f"{step.name}_wide")
    graph.node("Add", [wide, graph.number(low + half)], step.name)


def _everywhere(graph: _Graph, step: Step, inputs: list[str]) -> None:
    nothing = graph.node("Mul", [*inputs, graph.number(0.0)], f"{step.name}_nothing")
    graph.node("Add", [nothing, graph.weight(step.weights["value"])], step.name)


def _dueling(graph: _Graph, step: Step, inputs: list[str]) -> None:
    value, advantages = inputs
    mean = graph.node("ReduceMean", [advantages], f"{step.name}_mean", axes=[-1], keepdims=1)
    centred = graph.node("Sub", [advantages, mean], f"{step.name}_centred")
    graph.node("Add", [value, centred], step.name)


def _bytes_to_floats(graph: _Graph, step: Step, inputs: list[str]) -> None:
    graph.node("Div", [*inputs, graph.number(255.0)], step.name)


def _gelu(graph: _Graph, step: Step, inputs: list[str]) -> None:
    scaled = graph.node("Mul", [*inputs, graph.number(0.5**0.5)], f"{step.name}_scaled")
    erf = graph.node("Erf", [scaled], f"{step.name}_erf")
    weight = graph.node("Add", [erf, graph.number(1.0)], f"{step.name}_weight")
    half = graph.node("Mul", [*inputs, graph.number(0.5)], f"{step.name}_half")
    graph.node("Mul", [half, weight], step.name)


def _silu(graph: _Graph, step: Step, inputs: list[str]) -> None:
    gate = graph.node("Sigmoid", inputs, f"{step.name}_gate")
    graph.node("Mul", [*inputs, gate], step.name)


def _scale(graph: _Graph, step: Step, inputs: list[str]) -> None:
    low, high = (np.array(step.settings[name], np.float32) for name in ("low", "high"))
    inside = graph.node("Clip", [*inputs, graph.number(-1.0), graph.number(1.0)], f"{step.name}_inside")
    share = graph.node("Add", [inside, graph.number(1.0)], f"{step.name}_share")
    width = graph.constant(f"{step.name}_width", (high - low) / 2)
    wide = graph.node("Mul", [share, width], f"{step.name}_wide")
    flat = graph.node("Add", [wide, graph.constant(f"{step.name}_low", low)], f"{step.name}_flat")
    shape = graph.constant(f"{step.name}_shape", np.array([-1, *step.settings["shape"]], np.int64))
    graph.node("Reshape", [flat, shape], step.name)


def _count_from(graph: _Graph, step: Step, inputs: list[str]) -> None:
    start = graph.constant(f"{step.name}_start", np.array(step.settings["start"], np.int64))
    graph.node("Add", [*inputs, start], step.name)


def _count_each_from(graph: _Graph, step: Step, inputs: list[str]) -> None:
    starts = graph.constant(f"{step.name}_starts", np.array(step.settings["starts"], np.int64))
    flat = graph.node("Add", [*inputs, starts], f"{step.name}_flat")
    shape = graph.constant(f"{step.name}_shape", np.array([-1, *step.settings["shape"]], np.int64))
    graph.node("Reshape", [flat, shape], step.name)


def _part(graph: _Graph, step: Step, inputs: list[str]) -> None:
    stretch = _slice(graph, inputs[0], step.settings["start"], step.settings["stop"], f"{step.name}_flat")
    shape = graph.constant(f"{step.name}_shape", np.array([-1, *step.settings["shape"]], np.int64))
    graph.node("Reshape", [stretch, shape], step.name)


def _join(graph: _Graph, step: Step, inputs: list[str]) -> None:
    graph.node("Concat", inputs, step.name, axis=1)


def _slice(graph: _Graph, values: str, start: int, stop: int, output: str) -> str:
    """Columns [start, stop)."""
    bounds = {"start": start, "stop": stop, "axis": 1}
    names = [graph.constant(f"{output}_{name}", np.array([value], np.int64)) for name, value in bounds.items()]
    return graph.node("Slice", [values, *names], output)


def _choose_each(graph: _Graph, counts: tuple[int, ...]) -> None:
    """The largest of each choice's logits, [batch, choices]."""
    chosen: list[str] = []
    for number, stop in enumerate(itertools.accumulate(counts)):
        logits = _slice(graph, "logits", stop - counts[number], stop, f"logits_{number}")
        chosen.append(graph.node("ArgMax", [logits], f"{CHOSEN}_{number}", axis=-1, keepdims=1))
    graph.node("Concat", chosen, CHOSEN, axis=1)


_SAME = {"add": "Add", "relu": "Relu", "tanh": "Tanh", "elu": "Elu", "flatten": "Flatten"}
_TRANSLATIONS: dict[str, Callable[[_Graph, Step, list[str]], None]] = {
    "dense": _dense,
    "linear": _linear,
    "layer_norm": _layer_norm,
    "convolution": _convolution,
    "max_pool": _max_pool,
    "normalise": _normalise,
    "between": _between,
    "everywhere": _everywhere,
    "dueling": _dueling,
    "bytes_to_floats": _bytes_to_floats,
    "gelu": _gelu,
    "silu": _silu,
    "scale": _scale,
    "count_from": _count_from,
    "count_each_from": _count_each_from,
    "part": _part,
    "join": _join,
}
