"""Which observations an algorithm can learn from, and what is done to them before its networks see them."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from phylon.catalogue.entry import Space
from phylon.registry.descriptions import Refusal
from phylon.spec.algorithms.convolutions import CNNSpec, small_convolutions
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
    network, smallest = spec.network, _smallest_side(space)
    axes, form = (1, "a flat vector of observations") if network.kind == "mlp" else (3, "images")
    is_box = space.kind == "box" and len(space.shape) == axes
    if not is_box and not (space.kind == "composite" and space.has_images == (network.kind != "mlp")):
        return Refusal(
            f"network.kind {network.kind} needs {form}",
            f"choose an environment that gives {form}, another algorithm.network.kind, "
            "or put {name: flatten} into environment.wrappers",
        )
    if isinstance(network, CNNSpec) and smallest is not None and min(network.sides(smallest)) < 1:
        return Refusal(
            f"kernels {network.kernels} with strides {network.strides} leave nothing of an image with a side of "
            f"{smallest}",
            "write smaller algorithm.network.kernels or strides, fewer layers, or leave channels, kernels and strides "
            "out: what fits is found",
        )
    return None


def candidate_networks(written: Mapping[str, Any], space: Space) -> Iterator[dict[str, Any]]:
    """What `network` may mean where its kind or its convolutions were left out, the likeliest first."""
    kinds: list[dict[str, str]] = [{}]
    if "kind" not in written:
        kinds += [{"kind": kind} for kind in ("mlp", "cnn", "impala")]
    for kind in kinds:
        network = {**written, **kind}
        yield network
        smallest = _smallest_side(space)
        if network.get("kind") == "cnn" and smallest is not None:
            yield {**small_convolutions(smallest), **network}


def _smallest_side(space: Space) -> int | None:
    """Of all images among the observations, if there are any."""
    if space.kind == "box":
        return min(space.shape[:2]) if len(space.shape) == 3 else None
    return min((side for part in space.parts if part.is_image for side in part.shape[:2]), default=None)


def are_square_colour_images(spec: Any, space: Space) -> Refusal | None:
    if suit_network(spec, space) is not None:
        return suit_network(spec, space)
    if space.kind == "box" and len(space.shape) == 3 and space.shape[0] == space.shape[1] and space.shape[2] == 3:
        return None
    return Refusal(
        f"{spec.name} augments square colour images",
        "choose an environment with such images, e.g. a procgen game of envpool, or an algorithm that does not augment",
    )
