"""Schedule: fresh members follow a schedule of hyper-parameters that a population once found."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from phylon.spec.algorithms import AlgorithmSpec, names_of, tunable_fields
from phylon.spec.distributions import Finite, Model
from phylon.spec.problems import Problem, problems_of
from phylon.spec.quantities import read_number


def _number_or_name(value: Any) -> Any:
    value = read_number(value)  # no name looks like a number
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise PydanticCustomError(
            "not_a_number_or_name",
            "expected a number or a name",
            {"remedy": "write one value for all members, such as 0.001"},
        )
    return value


class ScheduleEntry(Model):
    """From `step` on these values hold; what is not named stays as it was."""

    step: Annotated[int, Field(strict=True, ge=0)]
    """Environment steps of a member."""
    values: Annotated[dict[str, Annotated[Finite | str, BeforeValidator(_number_or_name)]], Field(min_length=1)]
    """By hyper-parameter: a number, or a name where the algorithm has names."""


def _in_order(entries: tuple[ScheduleEntry, ...]) -> tuple[ScheduleEntry, ...]:
    steps = [entry.step for entry in entries]
    if steps[0] != 0:
        raise PydanticCustomError(
            "schedule_starts_late",
            "the schedule begins at step {step}",
            {"step": steps[0], "remedy": "give its first entry step 0"},
        )
    for earlier, later in pairwise(steps):
        if later <= earlier:
            raise PydanticCustomError(
                "schedule_not_in_order",
                "step {later} comes after step {earlier}",
                {"earlier": earlier, "later": later, "remedy": "list entries by rising step, each step once"},
            )
    return entries


class ScheduleSpec(Model):
    """All members follow one schedule and never copy each other; `phylon schedule` writes one."""

    name: Literal["schedule"]
    schedule: Annotated[tuple[ScheduleEntry, ...], Field(min_length=1), AfterValidator(_in_order)]


def schedule_problems(method: ScheduleSpec, algorithm: AlgorithmSpec) -> Iterator[Problem]:
    """What does not fit the algorithm."""
    for place, entry in enumerate(method.schedule):
        path = f"population.method.schedule.{place}"
        for name, value in entry.values.items():
            yield from _value_problems(algorithm, name, value, f"{path}.values.{name}")


def _value_problems(algorithm: AlgorithmSpec, name: str, value: float | str, path: str) -> Iterator[Problem]:
    kind = type(algorithm)
    if name not in tunable_fields(kind):
        message = f"{algorithm.name} has no hyper-parameter '{name}'"
        remedy = f"use some of {', '.join(tunable_fields(kind))}"
        yield Problem(path=path, value=value, message=message, remedy=remedy)
        return
    names = names_of(kind, name)
    if isinstance(value, str) != (names is not None):
        remedy = f"use one of {', '.join(names)}" if names else "write a number"
        message = f"'{name}' is a {'name' if names else 'number'}"
        yield Problem(path=path, value=value, message=message, remedy=remedy)
        return
    raw = algorithm.model_dump() | {name: value}
    try:
        kind.model_validate(raw)
    except ValidationError as error:
        for problem in problems_of(error, kind, raw):
            yield {**problem, "path": path, "value": value}
