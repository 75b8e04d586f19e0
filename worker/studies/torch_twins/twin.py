"""What all twins share: hyper-parameters of one or of all members, target networks, compilation."""

# torch._foreach_… is what PyTorch's own optimisers are made of.
# pyright: reportPrivateImportUsage=false

import copy
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn

from phylon.spec import AlgorithmSpec, bounds, hyperparameters
from phylon.worker.studies.torch_twins.layers import parameters, shape_per_weight
from phylon.worker.studies.workload import Data

Function = TypeVar("Function", bound=Callable[..., Any])


class Twin(Protocol):
    def arrange(self, data: Data) -> Any:
        """One call's data as this twin needs it, on its device. For one member, the axis of members has length 1."""
        ...

    def learn(self, arranged: Any) -> None:
        """All updates of one call."""
        ...


class TwinHyperparams:
    """Hyper-parameters: plain numbers for one member, tensors for many, so that they may differ."""

    def __init__(self, spec: AlgorithmSpec, members: int | None, device: Any) -> None:
        self._values = {name: float(sum(bounds(value)) / 2) for name, value in hyperparameters(spec).items()}
        self._members, self._device = members, device

    def plain(self, name: str) -> float:
        """The value that all members share."""
        return self._values[name]

    def all(self, name: str) -> Any:
        """A number, or [members]."""
        if self._members is None:
            return self._values[name]
        return torch.full((self._members,), self._values[name], device=self._device)

    def batch(self, name: str) -> Any:
        """A number, or [members, 1]: it goes with [members, batch]."""
        value = self.all(name)
        return value if self._members is None else value[:, None]

    def features(self, name: str) -> Any:
        """A number, or [members, 1, 1]: it goes with [members, batch, features]."""
        value = self.all(name)
        return value if self._members is None else value[:, None, None]


class Target:
    """A copy of a network that follows it slowly."""

    def __init__(self, network: nn.Module, rate: Any) -> None:
        self.network = copy.deepcopy(network).requires_grad_(False)
        self._theirs, self._ours = parameters(network), parameters(self.network)
        self._rate = rate if isinstance(rate, float) else shape_per_weight(rate, self._ours)

    @torch.no_grad()
    def follow(self) -> None:
        torch._foreach_lerp_(self._ours, self._theirs, self._rate)


def compile_if(wanted: bool, function: Function) -> Function:
    return torch.compile(function) if wanted else function  # pyright: ignore[reportReturnType]


def sum_of_means(losses: Tensor) -> Tensor:
    """Means over the batch, the last axis; summed, so that no member's gradient depends on another."""
    return losses.mean(-1).sum()


def split_by_update(data: Data, members: int | None, device: Any) -> list[Data]:
    """A batch for each update: [batch, ...] of one member, [members, batch, ...] of all."""
    tensors = [torch.from_numpy(field).to(device) for field in data]
    axes = [field[0] if members is None else field.transpose(0, 1).contiguous() for field in tensors]
    return [Data(*(field[number] for field in axes)) for number in range(len(axes[0]))]  # pyright: ignore[reportArgumentType]
