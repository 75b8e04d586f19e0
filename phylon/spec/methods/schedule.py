"""The method that follows a schedule which a population once found. Its spec is `phylon.spec.replay_method`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phylon.registry.descriptions import MethodDescription
from phylon.spec.problems import Problem
from phylon.spec.replay_method import ReplayScheduleSpec, schedule_problems
from phylon.spec.segments import segment_steps

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def _problems(spec: "ExperimentSpec") -> Iterator[Problem]:
    method = spec.population.method
    assert isinstance(method, ReplayScheduleSpec)
    return schedule_problems(method, spec.algorithm, segment_steps(spec))


SCHEDULE = MethodDescription(
    spec=ReplayScheduleSpec,
    engine="phylon.worker.population.schedule:schedule",
    title="Schedule",
    summary="Fresh members follow a schedule of hyper-parameters that a population once found.",
    problems=_problems,
)
