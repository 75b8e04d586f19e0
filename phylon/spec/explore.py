"""How a child's hyper-parameters move away from those it inherits. No value leaves the bounds of its distribution."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Discriminator, Field
from pydantic_core import PydanticCustomError

from phylon.spec.distributions import Model
from phylon.spec.selection import EntryPoint

Factor = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Probability = Annotated[float, Field(strict=True, ge=0, le=1)]


class MovingExplore(Model):
    """What all ways of moving have in common: names have no order in which they could move."""

    keep_category: Probability = 0.5
    """How likely a choice of names is inherited as it is; else it is drawn from all of its names, all alike."""


class PerturbExplore(MovingExplore):
    """Multiply each inherited value by one of `factors`; with probability `resample` draw it from its prior instead.

    A choice of numbers moves to a neighbour in its list; for a choice of names see `keep_category`.
    """

    name: Literal["perturb"]
    factors: tuple[Factor, Factor] = (0.8, 1.2)
    resample: Probability = 0.25


class ResampleExplore(Model):
    """Draw every value of a replaced member from its prior; nothing is inherited (fastpbrl)."""

    name: Literal["resample"]


def _rising(values: tuple[float, float, float]) -> tuple[float, float, float]:
    low, mode, high = values
    if not (low <= mode <= high and low < high):
        raise PydanticCustomError(
            "triangle_not_rising",
            "a triangle is [lowest, most likely, highest], in this order",
            {"remedy": "write the three factors in rising order, such as [0.9, 0.95, 1.2]"},
        )
    return values


class TriangularExplore(MovingExplore):
    """Multiply each inherited value by a factor drawn from a triangular distribution (EVO).

    A choice of numbers moves to a neighbour as the factor is above or below 1; for names see `keep_category`.
    """

    name: Literal["triangular"]
    factors: Annotated[tuple[Factor, Factor, Factor], AfterValidator(_rising)] = (0.9, 0.95, 1.2)
    """Lowest, most likely, highest."""


class GaussianExplore(MovingExplore):
    """Add normal noise to each inherited value, in units of its prior's range (of its logarithm where that is drawn).

    A choice of numbers moves to a neighbour when the noise is larger than its own deviation; for names see
    `keep_category`.
    """

    name: Literal["gaussian"]
    deviation: Annotated[float, Field(strict=True, gt=0, le=1)] = 0.1


class KeepExplore(Model):
    """Change nothing."""

    name: Literal["keep"]


class CustomExplore(Model):
    """A function of your own: the worker's entry point of this name in the group `phylon.explores`.

    Refused unless the operator of the worker allowed it (`PHYLON_ALLOW_CUSTOM=1`).
    """

    name: Literal["custom"]
    entry_point: EntryPoint


ExploreSpec = Annotated[
    PerturbExplore | ResampleExplore | TriangularExplore | GaussianExplore | KeepExplore | CustomExplore,
    Discriminator("name"),
]
