"""Which observations an algorithm can learn from."""

from typing import Any

from phylon.catalogue.entry import Space
from phylon.registry.descriptions import Refusal


def suit_network(spec: Any, space: Space) -> Refusal | None:
    """A perceptron looks at vectors, every other kind of network at images."""
    kind = spec.network.kind
    axes, form = (1, "a flat vector of observations") if kind == "mlp" else (3, "images")
    if space.kind == "box" and len(space.shape) == axes:
        return None
    return Refusal(
        f"network.kind {kind} needs {form}",
        f"choose an environment that gives {form}, or another algorithm.network.kind",
    )


def are_square_colour_images(spec: Any, space: Space) -> Refusal | None:
    if suit_network(spec, space) is not None:
        return suit_network(spec, space)
    if len(space.shape) == 3 and space.shape[0] == space.shape[1] and space.shape[2] == 3:
        return None
    return Refusal(
        f"{spec.name} augments square colour images",
        "choose an environment with such images, e.g. a procgen game of envpool, or an algorithm that does not augment",
    )
