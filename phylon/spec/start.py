"""`population.start`: founders begin with weights that were trained before, instead of a draw.

    population: {size: 4, start: {run: 12, step: 40000, best: 2}}

Members are taken from each source in the order in which they are named, and dealt round: founder 0 gets the first,
founder 1 the second, and so on from the beginning. What is dealt, and what is not, is in docs/fork.md.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import Field

from phylon.spec.distributions import Model
from phylon.spec.problems import Problem

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec

Member = Annotated[int, Field(strict=True, ge=0, lt=4096)]


class StartSource(Model):
    """Members of one run, or one exported policy."""

    run: Annotated[int, Field(strict=True, ge=1)] | None = None
    """Number of a run on the service that this is submitted to."""
    path: Annotated[str, Field(min_length=1, max_length=1000)] | None = None
    """In the foreground: a run directory of `phylon train`, or a policy that `phylon policy` wrote."""
    step: Annotated[int, Field(strict=True, ge=0)] | None = None
    """Which checkpoint of the run. Left out: the newest when the experiment is submitted or begun."""
    members: Literal["all"] | Annotated[tuple[Member, ...], Field(min_length=1)] | None = None
    """By their numbers there, in this order."""
    best: Annotated[int, Field(strict=True, ge=1, le=4096)] | None = None
    """So many of the best by fitness, the best first. Left out, and without `members`: one."""


def expand_start(written: Any) -> Any:
    """A path alone, or one source alone, is a list of one."""
    if isinstance(written, str):
        return [{"path": written}]
    if isinstance(written, dict):
        return [written]
    if isinstance(written, list):
        return [{"path": source} if isinstance(source, str) else source for source in cast(list[Any], written)]
    return written


def start_problems(spec: "ExperimentSpec") -> Iterator[Problem]:
    founders = 0
    for place, source in enumerate(spec.population.start):
        path = f"population.start.{place}"
        if (source.run is None) == (source.path is None):
            yield Problem(
                path=path,
                value=None,
                message="says neither a run nor a path" if source.run is None else "says both a run and a path",
                remedy="write run: NUMBER for a run on the service, or path: FOLDER in the foreground",
            )
        if source.members is not None and source.best is not None:
            yield Problem(
                path=f"{path}.best",
                value=source.best,
                message="members are named already",
                remedy="write either members or best",
            )
        if isinstance(source.members, tuple):
            founders += len(source.members)
        elif source.members is None:
            founders += source.best or 1
    if founders > spec.population.size:
        yield Problem(
            path="population.start",
            value=founders,
            message=f"names {founders} members for {spec.population.size} founders, so that some would be left out",
            remedy="name fewer, or raise population.size",
        )
