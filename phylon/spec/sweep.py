"""A sweep: one base, and what is tried in it. It becomes a group, whose experiments are all that it asks for."""

import itertools
import math
import random
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from phylon.spec.distributions import Choice, Distribution, IntUniform, LogUniform, Model, Uniform
from phylon.spec.group_limits import LARGEST_GROUP, GroupName
from phylon.spec.problems import Problem, SpecInvalid, problems_of, showable
from phylon.spec.reading import invalid
from phylon.spec.upgrade import upgrade

_LARGEST_RUNS = 2000
_LONGEST_SUFFIX = 59

Changes = dict[str, Any]
Values = Annotated[list[Any], Field(min_length=1)]
Cases = Annotated[list[Changes], Field(min_length=1)]


def _distribution(raw: Any) -> Distribution:
    try:
        return TypeAdapter[Distribution](Distribution).validate_python(raw)
    except ValidationError:
        remedy = "write e.g. {log_uniform: [1e-4, 1e-2]}, {uniform: [0.9, 1]}, {int_uniform: [1, 8]}, {choice: [1, 2]}"
        raise PydanticCustomError("distribution", "this is no distribution", {"remedy": remedy}) from None


class RandomSweep(Model):
    """Values drawn independently of each other."""

    samples: Annotated[int, Field(ge=1, le=100_000)]
    seed: Annotated[int, Field(ge=0)] = 0
    over: Annotated[dict[str, Annotated[Any, AfterValidator(_distribution)]], Field(min_length=1)]
    """The distribution of each value, by its dotted path."""


class SweepSpec(Model):
    """Every value of the grid with every drawn one and every one of the list: all of them are submitted, or none."""

    version: Literal[1, 2] = 2
    name: GroupName
    description: Annotated[str, Field(max_length=2000)] = ""
    kind: Literal["sweep"]
    base: dict[str, Any]
    """What the experiments share: the fields of an experiment, without version, kind and name."""
    replicates: Annotated[int, Field(ge=1)] | None = None
    """Of each experiment; without it, as the base says."""
    grid: dict[str, Values] = Field(default_factory=dict)
    """All values to try, by dotted path: each with each."""
    random: RandomSweep | None = None
    list: Cases | None = None
    """What is changed together, by dotted path."""

    @model_validator(mode="after")
    def _says_something(self) -> "SweepSpec":
        if not self.grid and self.random is None and self.list is None:
            remedy = "write at least one of grid, random and list"
            raise PydanticCustomError("sweep", "a sweep that tries nothing is a single experiment", {"remedy": remedy})
        return self


def is_sweep(raw: Any) -> bool:
    return isinstance(raw, dict) and cast(dict[str, Any], raw).get("kind") == "sweep"


def expand_sweep(raw: Any) -> dict[str, Any]:
    """The group that a sweep means, as data. Raises `SpecInvalid`, also where it would be absurdly large."""
    if not isinstance(raw, dict):
        raise invalid("a sweep is a mapping of fields", "write at least kind, name, base and grid", showable(raw))
    lifted = upgrade(cast(dict[str, Any], raw))
    try:
        spec = SweepSpec.model_validate(lifted)
    except ValidationError as error:
        raise SpecInvalid(problems_of(error, SweepSpec, lifted)) from None
    _refuse_absurd(spec)
    experiments: dict[str, Changes] = {}
    digits = len(str(size(spec)))
    for number, changes in enumerate(_combinations(spec), start=1):
        wanted = changes if spec.replicates is None else {**changes, "replicates": spec.replicates}
        experiments[_suffix(f"{number:0{digits}d}", changes)] = wanted
    return {
        "version": spec.version,
        "name": spec.name,
        "description": spec.description,
        "kind": "group",
        "base": spec.base,
        "experiments": experiments,
    }


def size(spec: SweepSpec) -> int:
    """How many experiments it means, without making them."""
    samples = 1 if spec.random is None else spec.random.samples
    cases = 1 if spec.list is None else len(spec.list)
    return math.prod(len(values) for values in spec.grid.values()) * samples * cases


def place_problems(raw: Any, problems: Iterable[Problem]) -> list[Problem]:
    """What is wrong with a tried value is said where it was written, and once."""
    document = cast(dict[str, Any], raw)
    grid, drawn = document.get("grid"), document.get("random")
    over = cast(dict[str, Any], drawn).get("over") if isinstance(drawn, dict) else None
    places = {str(path): f"grid.{path}" for path in cast(dict[str, Any], grid if isinstance(grid, dict) else {})}
    drawn_paths = cast(dict[str, Any], over if isinstance(over, dict) else {})
    places |= {str(path): f"random.over.{path}" for path in drawn_paths}
    found: dict[str, Problem] = {}
    for problem in problems:
        place = re.sub(r"^experiments\.[^.]+\.", "", problem["path"])
        swept = next((path for path in places if place == path or place.startswith(f"{path}.")), None)
        moved = problem.copy()
        if swept is not None and place != problem["path"]:
            moved["path"] = places[swept] + place.removeprefix(swept)
        found.setdefault(f"{moved['path']} {moved['message']}", moved)
    return list(found.values())


def _refuse_absurd(spec: SweepSpec) -> None:
    experiments = size(spec)
    runs = experiments * (spec.replicates or 1)
    if experiments <= LARGEST_GROUP and runs <= _LARGEST_RUNS:
        return
    longest = max(spec.grid, key=lambda path: len(spec.grid[path]), default=None)
    fewer = f"try fewer values of {longest}, " if longest and len(spec.grid[longest]) > 1 else ""
    raise SpecInvalid(
        [
            Problem(
                path="grid" if spec.grid else "random" if spec.random else "list",
                value=showable(experiments),
                message=f"this sweep means {experiments:,} experiments with {runs:,} runs, and one group holds at most "
                f"{LARGEST_GROUP:,} and {_LARGEST_RUNS:,}",
                remedy=f"{fewer}draw a part of them with random.samples, or split it into several sweeps",
            )
        ]
    )


def _combinations(spec: SweepSpec) -> Iterator[Changes]:
    grid = itertools.product(*spec.grid.values())
    for values, drawn, together in itertools.product(list(grid), list(_draws(spec.random)), spec.list or [{}]):
        yield {**dict(zip(spec.grid, values, strict=True)), **drawn, **together}


def _draws(spec: RandomSweep | None) -> Iterator[Changes]:
    if spec is None:
        yield {}
        return
    draw = random.Random(spec.seed)
    for _ in range(spec.samples):
        yield {path: _draw(distribution, draw) for path, distribution in spec.over.items()}


def _draw(distribution: Distribution, draw: random.Random) -> Any:
    match distribution:
        case Choice():
            return draw.choice(distribution.choice)
        case IntUniform():
            low, high = distribution.int_uniform
            return draw.randint(int(low), int(high))
        case LogUniform():
            low, high = distribution.log_uniform
            return float(f"{math.exp(draw.uniform(math.log(low), math.log(high))):.4g}")
        case Uniform():
            low, high = distribution.uniform
            return float(f"{draw.uniform(low, high):.4g}")


def _suffix(number: str, changes: Changes) -> str:
    """`03-batch_size-256`: the number makes it unique, the rest is for people."""
    plain = {path: value for path, value in changes.items() if not isinstance(value, dict | list)}
    words = [f"{path.rsplit('.', 1)[-1]}-{value}" for path, value in plain.items()]
    text = re.sub(r"[^A-Za-z0-9_-]+", "_", "-".join([number, *words]))
    return text[:_LONGEST_SUFFIX].rstrip("-_")
