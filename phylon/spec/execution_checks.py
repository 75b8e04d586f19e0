"""Numbers of `execution` that only one strategy reads are refused elsewhere rather than ignored."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phylon.spec.joint import JOINT
from phylon.spec.problems import Problem

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def chunks_are_of_a_vectorized_population(spec: "ExperimentSpec") -> Iterator[Problem]:
    execution, method = spec.execution, spec.population.method
    if execution.chunk is None:
        return
    if isinstance(method, JOINT):
        yield Problem(
            path="execution.chunk",
            value=execution.chunk,
            message=f"members of {method.name} share a critic, so all of them learn at the same time",
            remedy="leave it out",
        )
    elif execution.strategy != "vectorized":
        yield Problem(
            path="execution.chunk",
            value=execution.chunk,
            message=f"only vectorized members learn in chunks, and execution.strategy is {execution.strategy}",
            remedy="write strategy: vectorized, or leave it out",
        )


def processes_are_of_a_parallel_population(spec: "ExperimentSpec") -> Iterator[Problem]:
    execution = spec.execution
    if execution.processes is not None and execution.strategy != "parallel":
        yield Problem(
            path="execution.processes",
            value=execution.processes,
            message=f"only parallel members learn in several processes, and execution.strategy is {execution.strategy}",
            remedy="write strategy: parallel, or leave it out",
        )


EXECUTION_CHECKS = (chunks_are_of_a_vectorized_population, processes_are_of_a_parallel_population)
