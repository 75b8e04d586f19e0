"""Adam for one member (PyTorch's own, fused) and for all at once, each with a learning rate of its own."""

# torch._foreach_… is what PyTorch's own optimisers are made of.
# pyright: reportPrivateImportUsage=false

from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from phylon.worker.studies.torch_twins.layers import shape_per_weight

FIRST_DECAY, SECOND_DECAY = 0.9, 0.999


class Optimiser(Protocol):
    def step(self, gradients: Sequence[Tensor]) -> None: ...


def adam(weights: list[Any], learning_rate: Any, epsilon: float = 1e-8, compiled: bool = False) -> Optimiser:
    """`learning_rate`: a number for one member, [members] for all."""
    if isinstance(learning_rate, float):
        return MemberAdam(weights, learning_rate, epsilon)
    return PopulationAdam(weights, learning_rate, epsilon, compiled)


class MemberAdam:
    def __init__(self, weights: list[Any], learning_rate: float, epsilon: float) -> None:
        self._weights = weights
        self._adam = torch.optim.Adam(weights, lr=learning_rate, eps=epsilon, fused=True)

    def step(self, gradients: Sequence[Tensor]) -> None:
        for weight, gradient in zip(self._weights, gradients, strict=True):
            weight.grad = gradient
        self._adam.step()


class PopulationAdam:
    """Weights have the members on their first axis. Kingma & Ba 2015, algorithm 1."""

    def __init__(self, weights: list[Any], learning_rates: Tensor, epsilon: float, compiled: bool) -> None:
        self._weights, self._epsilon = weights, epsilon
        self._rates = shape_per_weight(learning_rates, weights)
        self._means = [torch.zeros_like(weight, requires_grad=False) for weight in weights]
        self._squares = [torch.zeros_like(weight, requires_grad=False) for weight in weights]
        # a tensor, because a number that changes would be recompiled
        self._steps = torch.zeros((), device=weights[0].device)
        self._apply = torch.compile(_apply_adam) if compiled else _apply_adam

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor]) -> None:
        self._steps += 1
        state = (self._weights, list(gradients), self._means, self._squares, self._rates)
        self._apply(*state, self._steps, self._epsilon)


def _apply_adam(
    weights: list[Tensor],
    gradients: list[Tensor],
    means: list[Tensor],
    squares: list[Tensor],
    rates: list[Tensor],
    steps: Tensor,
    epsilon: float,
) -> None:
    first_correction, second_correction = 1 - FIRST_DECAY**steps, 1 - SECOND_DECAY**steps
    torch._foreach_lerp_(means, gradients, 1 - FIRST_DECAY)
    torch._foreach_mul_(squares, SECOND_DECAY)
    torch._foreach_addcmul_(squares, gradients, gradients, 1 - SECOND_DECAY)
    lengths = torch._foreach_sqrt(squares)
    torch._foreach_div_(lengths, second_correction.sqrt())
    torch._foreach_add_(lengths, epsilon)
    moves = torch._foreach_div(means, lengths)
    torch._foreach_mul_(moves, rates)
    torch._foreach_div_(moves, first_correction)
    torch._foreach_sub_(weights, moves)
