"""What members are ranked by."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from phylon.spec.distributions import Model


class MetricSource(Model):
    """A metric of the run, by its name there: an objective apart from the reward."""

    metric: Annotated[str, Field(pattern=r"^(evaluation|training)/[a-z0-9_]{1,80}$")]
    """Of evaluations, such as `evaluation/length`, or of the latest updates, such as `training/q_value`."""
    higher: Annotated[bool, Field(strict=True)] = True
    """Whether more of it is better. If not, fitness is its negative."""


def _kind(value: Any) -> str:
    return "metric" if isinstance(value, dict | MetricSource) else "returns"


FitnessSource = Annotated[
    Annotated[Literal["evaluation", "training", "test"], Tag("returns")] | Annotated[MetricSource, Tag("metric")],
    Discriminator(_kind),
]
"""`evaluation`: the mean return of an evaluation. `training`: the mean return of a member's latest training episodes,
as many as an evaluation has. `test`: the mean return of an evaluation on levels that no member trains on."""


class LastFitness(Model):
    """The latest value alone."""

    name: Literal["last"]
    of: FitnessSource = "evaluation"


class MeanFitness(Model):
    """The mean over the latest evaluations of a member and its ancestors, since their latest reset if there was one."""

    name: Literal["mean"]
    of: FitnessSource = "evaluation"
    window: Annotated[int, Field(strict=True, ge=2, le=100)] = 3


class ExponentialFitness(Model):
    """A mean over the evaluations since the latest reset, each of which counts `decay` times as much as the next."""

    name: Literal["exponential"]
    of: FitnessSource = "evaluation"
    decay: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.5
    window: Annotated[int, Field(strict=True, ge=2, le=100)] = 10
    """Older evaluations are left out."""


FitnessSpec = Annotated[LastFitness | MeanFitness | ExponentialFitness, Discriminator("name")]
