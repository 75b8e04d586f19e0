"""Whether the replay can lie on the device, beside members and environments."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phylon.registry import suites
from phylon.spec.entries import entry_of
from phylon.spec.problems import Problem, problem

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def device_replay_is_possible(spec: "ExperimentSpec") -> Iterator[Problem]:
    """`auto` avoids what is refused here to those who ask for the device."""
    if spec.replay is not None and spec.replay.placement == "device":
        yield from refuse_device_replay(spec)


def refuse_device_replay(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Everything that keeps the replay of this spec in host memory, whatever `replay.placement` says."""
    if spec.replay is None:
        return
    suite, entry = suites()[spec.environment.suite], entry_of(spec.environment)
    if not suite.is_functional:
        able = ", ".join(other.name for other in suites().values() if other.is_functional)
        yield _refuse(
            f"environments of suite '{suite.name}' are stepped on the host",
            f"leave it out, or use a suite whose environments are JAX functions ({able})",
        )
    if spec.replay.sharing == "shared":
        yield _refuse(
            "members share one replay, and on the device each draws from its own",
            "leave it out, or write sharing: per_member",
        )
    if entry is not None and entry.frame_stack > 1:
        yield _refuse(
            f"{entry.id} shows stacks of frames, each of which is stored once, in host memory",
            "leave it out",
        )
    if spec.execution.strategy == "parallel":
        yield _refuse(
            "parallel members learn in processes of their own, and no program spans processes",
            "leave it out, or use another execution.strategy",
        )
    if spec.execution.overlap:
        yield _refuse(
            "a segment is one program there, so nothing is left to do meanwhile",
            "leave it out, or execution.overlap",
        )


def _refuse(message: str, remedy: str) -> Problem:
    return problem("replay.placement", "device", message, remedy)
