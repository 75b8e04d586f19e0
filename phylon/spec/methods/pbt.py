"""Population Based Training, and its control without exploration."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from phylon.registry.descriptions import MethodDescription
from phylon.spec.evolving import CopySpec, Evolving
from phylon.spec.explore import ExploreSpec, PerturbExplore
from phylon.spec.problems import Problem
from phylon.spec.selection import NoSelection, SelectionSpec, TruncationSelection

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


class PBTSpec(Evolving):
    """Population Based Training (Jaderberg et al. 2017), synchronous."""

    name: Literal["pbt"]
    selection: SelectionSpec = TruncationSelection(name="truncation")
    explore: ExploreSpec = PerturbExplore(name="perturb")
    operators: dict[str, ExploreSpec] = Field(default_factory=dict)
    """Another way of exploring for some hyper-parameters, by name."""
    explorers: Literal["children", "everyone"] = "children"
    """Whose hyper-parameters move: those of replaced members, or everyone's (EVO)."""
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
    smallest_size=2,
    problems=_problems,
)
