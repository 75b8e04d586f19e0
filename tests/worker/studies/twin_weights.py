"""A population's weights in JAX as the lists of arrays that PyTorch's modules have, for one member or for all."""

from typing import Any

import numpy as np

Arrays = list[np.ndarray]


def layer(tree: Any, slot: int | None) -> Arrays:
    """A dense layer of a tree whose leaves are [members, ...]."""
    kernel, bias = np.asarray(tree["kernel"]), np.asarray(tree["bias"])
    return [kernel, bias[:, None]] if slot is None else [kernel[slot].T, bias[slot]]


def dense(tree: Any, slot: int | None, *heads: str) -> Arrays:
    """Hidden layers in order, then the heads."""
    hidden = [name for name in sorted(tree["params"]) if name.startswith("hidden")]
    return [array for name in (*hidden, *heads) for array in layer(tree["params"][name], slot)]


def critics(tree: Any, slot: int | None) -> Arrays:
    """Leaves are [members, critics, ...]."""
    count = len(tree["params"]["output"]["bias"][0])
    arrays: Arrays = []
    for critic in range(count):
        one = {
            name: {field: leaf[:, critic] for field, leaf in fields.items()} for name, fields in tree["params"].items()
        }
        arrays += dense({"params": one}, slot, "output")
    return arrays


def convolutional(tree: Any, slot: int | None) -> Arrays:
    """JAX has channels last, also where the image becomes a vector."""
    arrays: Arrays = []
    torso = tree["torso"]["params"]
    for name in sorted(torso):
        kernel = np.asarray(torso[name]["kernel"]).transpose(0, 4, 3, 1, 2)  # [members, out, in, height, width]
        bias = np.asarray(torso[name]["bias"])
        channels = bias.shape[1]
        arrays += [kernel.reshape(-1, *kernel.shape[2:]), bias.ravel()] if slot is None else [kernel[slot], bias[slot]]
    layers = {name: dict(fields) for name, fields in tree["layers"]["params"].items()}
    kernel = np.asarray(layers["hidden_0"]["kernel"])
    members, inputs, outputs = kernel.shape
    side = round((inputs / channels) ** 0.5)
    kernel = kernel.reshape(members, side, side, channels, outputs).transpose(0, 3, 1, 2, 4)
    layers["hidden_0"]["kernel"] = kernel.reshape(members, inputs, outputs)
    return arrays + dense({"params": layers}, slot, "output")


def policy_and_value(tree: Any, slot: int | None) -> Arrays:
    log_std = np.asarray(tree["output_log_std"])
    return [
        log_std[:, None] if slot is None else log_std[slot],
        *dense(tree["policy"]["layers"], slot, "output_policy"),
        *dense(tree["value"]["layers"], slot, "output_value"),
    ]
