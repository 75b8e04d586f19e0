"""Population Based Training, and its control without exploration."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from phylon.registry.descriptions import MethodDescription
from phylon.spec.distributions import Model
from phylon.spec.evolving import CopySpec, Evolving
from phylon.spec.explore import ExploreSpec, PerturbExplore
from phylon.spec.problems import Problem
from phylon.spec.selection import EntryPoint, NoSelection, SelectionSpec, TruncationSelection, TTestSelection

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


class AsynchronousSpec(Model):
    """Members are judged one by one, each when it is ready, against the latest fitness of all others."""

    jitter: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.5
    """From one readiness of a member to its next lies the interval times a factor, drawn from 1 - jitter to 1 + jitter
    and rounded to evaluations: what different machines are to a cluster."""


def _read_switch(value: Any) -> Any:
    """`true` for the defaults, `false` for none."""
    return ({} if value else None) if isinstance(value, bool) else value


class PBTSpec(Evolving):
    """Population Based Training (Jaderberg et al. 2017)."""

    name: Literal["pbt"]
    selection: SelectionSpec = TruncationSelection(name="truncation")
    explore: ExploreSpec = PerturbExplore(name="perturb")
    operators: dict[str, ExploreSpec] = Field(default_factory=dict)
    """Another way of exploring for some hyper-parameters, by name."""
    explore_configuration: EntryPoint | None = None
    """A function of your own that sees a member's whole configuration after its values have moved, and may change it:
    the worker's entry point of this name in the group `phylon.explores`. Refused unless the worker allows it."""
    explorers: Literal["children", "everyone"] = "children"
    """Whose hyper-parameters move: those of replaced members, or everyone's (EVO)."""
    asynchronous: Annotated[AsynchronousSpec | None, BeforeValidator(_read_switch)] = None
    """Left out, all members are judged at the same time. `true` is short for its defaults."""
    copying: CopySpec = CopySpec()


class NoOpSpec(Evolving):
    """A control: members are copied, and no hyper-parameter is changed. How much is selection alone worth?"""

    name: Literal["no_op"]
    selection: SelectionSpec = TruncationSelection(name="truncation")
    copying: CopySpec = CopySpec()


def _problems(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Where nobody is replaced, nothing would ever happen unless everyone explores."""
    method = spec.population.method
    assert isinstance(method, PBTSpec | NoOpSpec)
    if isinstance(method.selection, NoSelection) and getattr(method, "explorers", "children") == "children":
        yield Problem(
            path="population.method.selection.name",
            value=method.selection.name,
            message="nobody is replaced and nobody explores, so the population would never change",
            remedy="use pbt with explorers: everyone, or the method independent",
        )
    if isinstance(method, PBTSpec) and method.asynchronous is not None:
        yield from _asynchronous_problems(spec, method, method.asynchronous)
    if isinstance(method.selection, TTestSelection) and method.fitness.of != "evaluation":
        yield Problem(
            path="population.method.selection.name",
            value=method.selection.name,
            message="a t-test compares the episodes of an evaluation, which fitness is not taken from",
            remedy="use another selection, or leave fitness.of out",
        )


def _asynchronous_problems(
    spec: "ExperimentSpec", method: PBTSpec, asynchronous: AsynchronousSpec
) -> Iterator[Problem]:
    if method.unit != "steps":
        yield Problem(
            path="population.method.unit",
            value=method.unit,
            message="asynchronous members are ready after a number of steps",
            remedy="leave it out",
        )
    elif len(gaps_of(spec)) == 1:
        evaluations = least_evaluations(asynchronous.jitter)
        yield Problem(
            path="population.method.interval",
            value=method.interval,
            message=f"all members would be ready at the same evaluations, which are {spec.evaluation.interval:,} apart",
            remedy=f"use at least {evaluations * spec.evaluation.interval:,}, evaluate more often, or raise the jitter",
        )


def gaps_of(spec: "ExperimentSpec") -> range:
    """How many evaluations may lie between two times that an asynchronous member is ready."""
    method = spec.population.method
    assert isinstance(method, PBTSpec) and method.asynchronous is not None
    evaluations, jitter = method.interval / spec.evaluation.interval, method.asynchronous.jitter
    shortest = max(1, math.floor(evaluations * (1 - jitter) + 0.5))
    return range(shortest, max(shortest, math.ceil(evaluations * (1 + jitter) - 0.5)) + 1)


def least_evaluations(jitter: float) -> int:
    """Of an interval, so that the jitter makes a difference of one evaluation in either direction."""
    return math.ceil(1 / jitter)


PBT = MethodDescription(
    spec=PBTSpec,
    engine="phylon.worker.population.pbt:pbt",
    title="PBT",
    summary="The worse copy the better and explore (Jaderberg et al. 2017).",
    tuning="required",
    smallest_size=2,
    problems=_problems,
)

NO_OP = MethodDescription(
    spec=NoOpSpec,
    engine="phylon.worker.population.pbt:pbt",
    title="No-op",
    summary="Control: members are copied, nothing is explored. How much is selection alone worth?",
    tuning="usual",
    moves_hyperparameters=False,
    smallest_size=2,
    problems=_problems,
)
