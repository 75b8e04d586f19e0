"""What members are ranked by."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field

from phylon.spec.distributions import Model


class LastFitness(Model):
    """The mean return of the latest evaluation."""

    name: Literal["last"]


class MeanFitness(Model):
    """The mean over the latest evaluations of a member and its ancestors."""

    name: Literal["mean"]
    window: Annotated[int, Field(strict=True, ge=2, le=100)] = 3


class ExponentialFitness(Model):
    """A mean over the evaluations in which each counts `decay` times as much as the one after it."""

    name: Literal["exponential"]
    decay: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.5
    window: Annotated[int, Field(strict=True, ge=2, le=100)] = 10
    """Older evaluations are left out."""


FitnessSpec = Annotated[LastFitness | MeanFitness | ExponentialFitness, Discriminator("name")]
