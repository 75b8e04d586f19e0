"""Which observations an algorithm can learn from, and what is done to them before its networks see them."""

from typing import Annotated, Any

from pydantic import Field

from phylon.catalogue.entry import Space
from phylon.registry.descriptions import Refusal
from phylon.spec.distributions import Model


class ObservationsSpec(Model):
    """What a member's networks see of its observations."""

    normalise: Annotated[bool, Field(strict=True)] = False
    """Subtract the running mean of the member's own training observations, and divide by their running deviation."""
    clip: Annotated[float, Field(gt=0)] = 10.0
    """Where normalised observations are cut off, on both sides."""


def observations_of(algorithm: Any) -> ObservationsSpec:
    """Algorithms without the field take observations as they are."""
    return getattr(algorithm, "observations", None) or ObservationsSpec()


def suit_network(spec: Any, space: Space) -> Refusal | None:
    """A perceptron looks at vectors, every other kind of network at images, alone or beside numbers."""
    kind = spec.network.kind
    axes, form = (1, "a flat vector of observations") if kind == "mlp" else (3, "images")
    if space.kind == "box" and len(space.shape) == axes:
        return None
    if space.kind == "composite" and space.has_images == (kind != "mlp"):
        return None
    return Refusal(
        f"network.kind {kind} needs {form}",
        f"choose an environment that gives {form}, another algorithm.network.kind, "
        "or put {name: flatten} into environment.wrappers",
    )


def are_square_colour_images(spec: Any, space: Space) -> Refusal | None:
    if suit_network(spec, space) is not None:
        return suit_network(spec, space)
    if space.kind == "box" and len(space.shape) == 3 and space.shape[0] == space.shape[1] and space.shape[2] == 3:
        return None
    return Refusal(
        f"{spec.name} augments square colour images",
        "choose an environment with such images, e.g. a procgen game of envpool, or an algorithm that does not augment",
    )
