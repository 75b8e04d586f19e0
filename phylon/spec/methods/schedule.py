"""The method that follows a schedule which a population once found. Its spec is `phylon.spec.schedule_method`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phylon.registry.descriptions import MethodDescription
from phylon.spec.problems import Problem
from phylon.spec.schedule_method import ScheduleSpec, schedule_problems

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def _problems(spec: "ExperimentSpec") -> Iterator[Problem]:
    method = spec.population.method
    assert isinstance(method, ScheduleSpec)
    return schedule_problems(method, spec.algorithm)


SCHEDULE = MethodDescription(
    spec=ScheduleSpec,
    engine="phylon.worker.population.schedule:schedule",
    title="Schedule",
    summary="Fresh members follow a schedule of hyper-parameters that a population once found.",
    problems=_problems,
)
