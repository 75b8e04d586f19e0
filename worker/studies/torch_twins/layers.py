"""Layers of one member, and of all members at once by batched matrix products and grouped convolutions.

Values of one member are [batch, features]; of all, [members, batch, features]. Images of one member are
[batch, channels, height, width]; of all, [batch, members * channels, height, width], as grouped convolutions need them.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from phylon.spec.algorithms.convolutions import CNNSpec
from phylon.spec.algorithms.networks import MLPSpec

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "elu": nn.functional.elu,
    "tanh": torch.tanh,
    "gelu": nn.functional.gelu,
    "silu": nn.functional.silu,
}


class StackedDense(nn.Module):
    def __init__(self, members: int, inputs: int, outputs: int) -> None:
        super().__init__()
        limit = inputs**-0.5
        self.weight = nn.Parameter(torch.empty(members, inputs, outputs).uniform_(-limit, limit))
        self.bias = nn.Parameter(torch.empty(members, 1, outputs).uniform_(-limit, limit))

    def forward(self, values: Tensor) -> Tensor:
        return torch.baddbmm(self.bias, values, self.weight)


class StackedConvolution(nn.Module):
    """A convolution whose groups are the members."""

    def __init__(self, members: int, inputs: int, outputs: int, side: int, stride: int) -> None:
        super().__init__()
        self.layer = nn.Conv2d(members * inputs, members * outputs, side, stride, groups=members)

    def forward(self, images: Tensor) -> Tensor:
        return self.layer(images)


def dense(members: int | None, inputs: int, outputs: int) -> nn.Module:
    return nn.Linear(inputs, outputs) if members is None else StackedDense(members, inputs, outputs)


class MLP(nn.Module):
    def __init__(self, members: int | None, spec: MLPSpec, inputs: int, heads: Sequence[int]) -> None:
        super().__init__()
        if spec.layer_norm != "none":
            raise ValueError(f"PyTorch's twins have no layer norm, and the spec wants '{spec.layer_norm}'")
        widths = [inputs, *spec.hidden]
        self.hidden = nn.ModuleList(dense(members, a, b) for a, b in itertools.pairwise(widths))
        self.heads = nn.ModuleList(dense(members, widths[-1], width) for width in heads)
        self.activate = ACTIVATIONS[spec.activation]

    def forward(self, values: Tensor) -> list[Tensor]:
        for layer in self.hidden:
            values = self.activate(layer(values))
        return [head(values) for head in self.heads]


class Critics(nn.Module):
    """(observations, actions) -> values [critics, ..., batch]."""

    def __init__(self, members: int | None, spec: MLPSpec, inputs: int, critics: int) -> None:
        super().__init__()
        self.critics = nn.ModuleList(MLP(members, spec, inputs, [1]) for _ in range(critics))

    def forward(self, obs: Tensor, action: Tensor, count: int | None = None) -> Tensor:
        """Of the first `count` critics; of all without it."""
        values = torch.cat([obs, action], -1)
        return torch.stack([critic(values)[0][..., 0] for critic in list(self.critics)[:count]])


class ConvolutionalNetwork(nn.Module):
    """Images as bytes -> values of the actions, [..., batch, actions]."""

    def __init__(self, members: int | None, spec: CNNSpec, shape: tuple[int, ...], actions: int) -> None:
        super().__init__()
        self.members = members
        rows, _, channels = shape
        layers: list[nn.Module] = []
        for outputs, side, stride in zip(spec.channels, spec.kernels, spec.strides, strict=True):
            layers.append(
                nn.Conv2d(channels, outputs, side, stride)
                if members is None
                else StackedConvolution(members, channels, outputs, side, stride)
            )
            channels, rows = outputs, (rows - side) // stride + 1
        self.convolutions = nn.ModuleList(layers)
        self.dense = MLP(members, MLPSpec(hidden=spec.hidden), channels * rows * rows, [actions])

    def forward(self, images: Tensor) -> Tensor:
        values = images.float() / 255
        for layer in self.convolutions:
            values = torch.relu(layer(values))
        if self.members is None:
            values = values.flatten(1)
        else:
            values = values.reshape(len(values), self.members, -1).transpose(0, 1)
        return self.dense(values)[0]


def shape_per_weight(values: Tensor, weights: Sequence[Tensor]) -> list[Tensor]:
    """One number per member, [members], in shapes that multiply each of the weights (members are their first axis)."""
    members = len(values)
    return [
        values.repeat_interleave(len(weight) // members).reshape(-1, *[1] * (weight.ndim - 1)) for weight in weights
    ]


def parameters(module: nn.Module) -> list[Any]:
    return list(module.parameters())
