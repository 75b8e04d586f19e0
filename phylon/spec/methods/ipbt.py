"""IPBT: PBT that starts again with part of its weights and twice the interval where it makes no progress."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from phylon.registry.descriptions import MethodDescription
from phylon.spec.distributions import Model
from phylon.spec.evolving import Evolving
from phylon.spec.methods.bg_pbt import LARGEST_WINDOW, TrustRegionSpec, window_holds_a_round
from phylon.spec.problems import Problem
from phylon.spec.registered import describe_algorithm
from phylon.spec.selection import TruncationSelection

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec

Share = Annotated[float, Field(strict=True, gt=0, lt=1)]


class ShrinkSpec(Model):
    """Shrink and perturb: weights become keep * old + fresh * newly drawn ones."""

    keep: Share = 0.2
    fresh: Share = 0.1


class IPBTSpec(Evolving):
    """Iterated PBT (Chebykin, Alderliesten & Bosman 2025, arXiv 2511.09190).

    PBT that explores as BG-PBT does. Where the best fitness no longer rises, a new iteration begins: its interval is
    twice as long, a random half of the members is new, and the others go on with shrunk and perturbed weights.
    """

    name: Literal["ipbt"]
    selection: TruncationSelection = TruncationSelection(name="truncation")
    window: Annotated[int, Field(strict=True, ge=8, le=LARGEST_WINDOW)] = 100
    """Latest member-intervals of an iteration that the model remembers."""
    optimism: Annotated[float, Field(strict=True, ge=0, le=100)] = 3.0
    """The upper confidence bound is mean + optimism x deviation."""
    trust_region: TrustRegionSpec = TrustRegionSpec()
    patience: Annotated[int, Field(strict=True, ge=1)] = 3
    """Selections in a row at which the smoothed best fitness did not rise, before a new iteration begins."""
    shrink: ShrinkSpec = ShrinkSpec()


def _problems(spec: "ExperimentSpec") -> Iterator[Problem]:
    method = spec.population.method
    assert isinstance(method, IPBTSpec)
    yield from window_holds_a_round(spec)
    if method.fitness.name != "last":
        yield Problem(
            path="population.method.fitness.name",
            value=method.fitness.name,
            message="weights of ipbt change between evaluations, so earlier ones are not theirs",
            remedy="use last",
        )
    if method.unit != "steps":
        yield Problem(
            path="population.method.unit",
            value=method.unit,
            message="ipbt compares its interval with the budget, which counts steps",
            remedy="leave it out",
        )
    if not describe_algorithm(spec.algorithm).state(spec.algorithm).weights:
        yield Problem(
            path="algorithm.name",
            value=spec.algorithm.name,
            message=f"{spec.algorithm.name} does not say which part of its state are weights that can be shrunk",
            remedy="use another algorithm, or bg_pbt",
        )


def _defaults(size: int) -> dict[str, int]:
    return {"window": max(100, size)}


IPBT = MethodDescription(
    spec=IPBTSpec,
    engine="phylon.worker.population.ipbt:ipbt",
    title="IPBT",
    summary="BG-PBT's core that starts again with shrunk weights and twice the interval (Chebykin et al. 2025).",
    tuning="required",
    smallest_size=4,
    follows_budget=True,
    rounds=100,
    defaults=_defaults,
    problems=_problems,
)
