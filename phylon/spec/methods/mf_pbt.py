"""MF-PBT: sub-populations that evolve at several frequencies."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from phylon.registry.descriptions import MethodDescription
from phylon.spec.evolving import CopySpec, Evolving
from phylon.spec.explore import ExploreSpec, PerturbExplore
from phylon.spec.problems import Problem

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def _rising(frequencies: tuple[int, ...]) -> tuple[int, ...]:
    if list(frequencies) != sorted(set(frequencies)):
        raise PydanticCustomError(
            "frequencies_not_rising",
            "frequencies are listed from the most to the least frequent, each once",
            {"remedy": f"write {sorted(set(frequencies))}"},
        )
    return frequencies


FREQUENCIES = (1, 10, 25, 50)
"""The authors'; a small population has fewer parts, the most frequent ones."""

Intervals = Annotated[int, Field(strict=True, ge=1)]


class MFPBTSpec(Evolving):
    """Multiple-Frequencies Population-Based Training (Doulazmi et al. 2025, arXiv 2506.03225).

    The population is split into equal parts, of which one evolves at every `interval`, the others at multiples of it.
    Where a part evolves, its worst quarter copies its best and explores. Members of its third quarter take over the
    weights of the best members of other parts, if those are better: with their hyper-parameters when they come from a
    part that evolves less often, else with those of the part's own best, so that greedy values do not spread.
    """

    name: Literal["mf_pbt"]
    frequencies: Annotated[tuple[Intervals, ...], Field(min_length=2), AfterValidator(_rising)]
    """For each part of the population, how many intervals lie between two of its evolutions.

    Left out: 1, 10, 25, 50, or the first of them where the population has not four parts of four."""
    explore: ExploreSpec = PerturbExplore(name="perturb", factors=(0.8, 1.25), resample=0.0)
    """Left out: the authors' factors, and never a fresh draw."""
    copying: CopySpec = CopySpec()


def _size_multiple(method: MFPBTSpec) -> int:
    """Each part has four equal quarters."""
    return 4 * len(method.frequencies)


def _problems(spec: "ExperimentSpec") -> Iterator[Problem]:
    method, size = spec.population.method, spec.population.size
    assert isinstance(method, MFPBTSpec)
    parts, multiple = len(method.frequencies), _size_multiple(method)
    if size % multiple:
        yield Problem(
            path="population.size",
            value=size,
            message=f"mf_pbt has {parts} parts of equal quarters, so the size must be a multiple of {multiple}",
            remedy=f"use {max(1, round(size / multiple)) * multiple}, or other frequencies",
        )


def _defaults(size: int) -> dict[str, tuple[int, ...]]:
    parts = next((parts for parts in (4, 3, 2) if size % (4 * parts) == 0), 2)
    return {"frequencies": FREQUENCIES[:parts]}


MF_PBT = MethodDescription(
    spec=MFPBTSpec,
    engine="phylon.worker.population.mf_pbt:mf_pbt",
    title="MF-PBT",
    summary="PBT in parts that evolve at several frequencies (Doulazmi et al. 2025).",
    tuning="usual",
    smallest_size=8,
    size_multiple=_size_multiple,
    rounds=100,
    defaults=_defaults,
    problems=_problems,
)
