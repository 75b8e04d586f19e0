"""MF-PBT: sub-populations that evolve at several frequencies."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from phylon.spec.evolving import CopySpec, Evolving
from phylon.spec.explore import ExploreSpec, PerturbExplore


def _rising(frequencies: tuple[int, ...]) -> tuple[int, ...]:
    if list(frequencies) != sorted(set(frequencies)):
        raise PydanticCustomError(
            "frequencies_not_rising",
            "frequencies are listed from the most to the least frequent, each once",
            {"remedy": f"write {sorted(set(frequencies))}"},
        )
    return frequencies


Intervals = Annotated[int, Field(strict=True, ge=1)]


class MFPBTSpec(Evolving):
    """Multiple-Frequencies Population-Based Training (Doulazmi et al. 2025, arXiv 2506.03225).

    The population is split into equal parts, of which one evolves at every `interval`, the others at multiples of it.
    Where a part evolves, its worst quarter copies its best and explores. Members of its third quarter take over the
    weights of the best members of other parts, if those are better: with their hyper-parameters when they come from a
    part that evolves less often, else with those of the part's own best, so that greedy values do not spread.
    """

    name: Literal["mf_pbt"]
    frequencies: Annotated[tuple[Intervals, ...], Field(min_length=2), AfterValidator(_rising)] = (1, 10, 25, 50)
    """For each part of the population, how many intervals lie between two of its evolutions."""
    explore: ExploreSpec = PerturbExplore(name="perturb")
    copying: CopySpec = CopySpec()
