"""Environment suites by name. An adapter is imported when it is first asked for, so that its library stays optional."""

import importlib
from typing import Protocol, cast

from phylon.catalogue import EnvironmentEntry
from phylon.spec.experiment import EnvironmentSpec
from worker.core.errors import EnvironmentUnavailable
from worker.core.types import EnvironmentInfo
from worker.environments.host import HostEnvironments, StepResult

__all__ = ["SUITES", "HostEnvironments", "StepResult", "describe", "make_environments", "suite_entries"]

SUITES = {
    "gymnasium": "worker.environments.gymnasium_suite",
    "probe": "worker.environments.probe",
}


class Suite(Protocol):
    """What an adapter's module offers."""

    def make(self, id: str, count: int) -> HostEnvironments: ...

    def describe(self, id: str) -> EnvironmentInfo: ...

    def entries(self) -> list[EnvironmentEntry]: ...


def make_environments(environment: EnvironmentSpec, count: int) -> HostEnvironments:
    """A pool of `count` environments, to be reset before its first step."""
    return _suite(environment.suite).make(environment.id, count)


def describe(suite: str, id: str) -> EnvironmentInfo:
    return _suite(suite).describe(id)


def suite_entries(suite: str) -> list[EnvironmentEntry]:
    """The environments that this installation can make, whether or not an algorithm here can train on them."""
    return _suite(suite).entries()


def _suite(name: str) -> Suite:
    if name not in SUITES:
        raise EnvironmentUnavailable(f"unknown environment suite '{name}'", f"use one of {', '.join(SUITES)}")
    try:
        return cast(Suite, importlib.import_module(SUITES[name]))
    except ModuleNotFoundError as error:
        raise EnvironmentUnavailable(
            f"the environment suite '{name}' needs the package '{error.name}', which is not installed here",
            "install it with `pip install 'phylon[worker]'`, or choose another suite",
        ) from error
