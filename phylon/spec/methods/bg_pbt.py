"""BG-PBT without its change of architectures: numbers and categories by a time-varying model in a trust region."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from phylon.registry.descriptions import MethodDescription
from phylon.spec.distributions import Model
from phylon.spec.evolving import Evolving
from phylon.spec.problems import Problem
from phylon.spec.selection import TruncationSelection

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec

LARGEST_WINDOW = 4096
"""As many as a population may have members."""
REPLACED = 0.125
"""One of the authors' eight members."""

Side = Annotated[float, Field(strict=True, gt=0, le=2)]
Rounds = Annotated[int, Field(strict=True, ge=1)]


class TrustRegionSpec(Model):
    """A box around the copied member's values, each scaled to [0, 1] by its prior. Defaults are the authors'."""

    initial: Side = 0.4
    smallest: Side = 0.15
    """Here the model forgets what it has seen, and the region starts again."""
    largest: Side = 1.0
    factor: Annotated[float, Field(strict=True, gt=1, le=10)] = 1.5
    successes: Rounds = 3
    """So many intervals in a row in which a newly suggested member was the best make it larger."""
    failures: Rounds = 10
    """So many in which none was make it smaller."""
    patience: Rounds = 15
    """After so many intervals without a new best the region starts again, too."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.smallest < self.initial <= self.largest:
            raise PydanticCustomError(
                "sides_not_in_order",
                "smallest ({smallest}), initial ({initial}) and largest ({largest}) are not in order",
                {
                    "smallest": self.smallest,
                    "initial": self.initial,
                    "largest": self.largest,
                    "remedy": "choose smallest < initial <= largest, such as 0.15, 0.4 and 1.0",
                },
            )
        return self


class BGPBTSpec(Evolving):
    """The explore step of BG-PBT (Wan et al. 2022, arXiv 2207.09405), over numbers and choices at once.

    Selection is PBT's. What a copy explores is chosen by a Gaussian process of what earlier intervals gained.
    """

    name: Literal["bg_pbt"]
    selection: TruncationSelection = TruncationSelection(name="truncation", bottom=REPLACED, top=REPLACED)
    window: Annotated[int, Field(strict=True, ge=8, le=LARGEST_WINDOW)] = 100
    """Latest member-intervals that the model remembers. Its cost grows with the third power of this."""
    optimism: Annotated[float, Field(strict=True, ge=0, le=100)] = 3.0
    """The upper confidence bound is mean + optimism x deviation."""
    trust_region: TrustRegionSpec = TrustRegionSpec()


def window_holds_a_round(spec: "ExperimentSpec") -> Iterator[Problem]:
    method, size = spec.population.method, spec.population.size
    window: int = getattr(method, "window")  # noqa: B009  of every method that this checks
    if window < size:
        yield Problem(
            path="population.method.window",
            value=window,
            message=f"smaller than the population of {size}, so the model would never have seen enough to choose",
            remedy=f"use at least {size}; 100 is usual",
        )


def usual_share(size: int) -> dict[str, float | int]:
    """One member in eight, and at least one."""
    share = max(REPLACED, 1 / max(2, size))
    return {"selection.bottom": share, "selection.top": share, "window": max(100, size)}


BG_PBT = MethodDescription(
    spec=BGPBTSpec,
    engine="phylon.worker.population.bg_pbt:bg_pbt",
    title="BG-PBT (core)",
    summary="PBT that explores numbers and choices by a model within a trust region (Wan et al. 2022).",
    tuning="required",
    smallest_size=2,
    rounds=100,
    defaults=usual_share,
    problems=window_holds_a_round,
)
