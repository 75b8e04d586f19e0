"""How large a member's networks are, in numbers."""

from typing import NamedTuple


class Size(NamedTuple):
    """Of a network."""

    weights: int
    activations: int
    """Numbers for each row of a batch."""

    def __add__(self, other: "Size") -> "Size":  # pyright: ignore[reportIncompatibleMethodOverride]
        return Size(self.weights + other.weights, self.activations + other.activations)

    def times(self, count: int) -> "Size":
        return Size(count * self.weights, count * self.activations)


NOTHING = Size(0, 0)


class Learner(NamedTuple):
    """What one member learns with; the second part is everybody's where members share a critic."""

    own: Size
    own_state: int
    """Numbers: weights, targets, optimisers, and scalars such as steps of optimisers."""
    critic: Size = NOTHING
    critic_state: int = 0
