"""Environment suites by name. An adapter is imported when it is first asked for, so that its library stays optional."""

import importlib
import warnings
from typing import Protocol, cast

from phylon.catalogue import EnvironmentEntry
from phylon.registry import suites, unknown_name
from phylon.spec.environment import EnvironmentSpec, ProcgenSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import rendering
from phylon.worker.environments.host import HostEnvironments, Purpose, Renderer, StepResult
from phylon.worker.environments.spaces import info_of

__all__ = [
    "HostEnvironments",
    "Purpose",
    "Renderer",
    "StepResult",
    "describe",
    "find_entry",
    "has_unseen_levels",
    "make_environments",
    "make_renderer",
    "suite_entries",
    "suite_ids",
]


class Suite(Protocol):
    """What an adapter's module offers."""

    def ids(self) -> list[str]:
        """All that the library knows by name, whether or not they can be made here."""
        ...

    def find_entry(self, id: str) -> EnvironmentEntry:
        """Raises `EnvironmentUnavailable` for what cannot be made here."""
        ...

    def make(self, environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments: ...

    def make_renderer(self, environment: EnvironmentSpec) -> Renderer | None:
        """None for what has no looks."""
        ...


def make_environments(environment: EnvironmentSpec, count: int, purpose: Purpose = "train") -> HostEnvironments:
    """A pool of `count` environments, to be reset before its first step."""
    return _suite(environment.suite).make(environment, count, purpose)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    """An environment to look at, without a screen, as evaluation sees it; None where there is nothing to see.

    Best in a process of its own: what some libraries lack for drawing makes them end theirs.
    """
    rendering.prepare()  # before the suite is imported
    return _suite(environment.suite).make_renderer(environment)


def describe(suite: str, id: str) -> EnvironmentInfo:
    return info_of(find_entry(suite, id))


def has_unseen_levels(environment: EnvironmentSpec) -> bool:
    """Whether members train on a part of the levels, so that there are others to test them on."""
    family = find_entry(environment.suite, environment.id).family
    return suites()[environment.suite].family(family).has_levels and (environment.procgen or ProcgenSpec()).levels > 0


def find_entry(suite: str, id: str) -> EnvironmentEntry:
    return _suite(suite).find_entry(id)


def suite_ids(suite: str) -> list[str]:
    return _suite(suite).ids()


def suite_entries(suite: str) -> list[EnvironmentEntry]:
    """The environments that this installation can make, whether or not an algorithm here can train on them."""
    found: list[EnvironmentEntry] = []
    with warnings.catch_warnings(action="ignore"):  # many ids are there for comparison with older work
        for id in suite_ids(suite):
            try:
                found.append(find_entry(suite, id))
            except EnvironmentUnavailable:
                continue
    return found


def _suite(name: str) -> Suite:
    if name not in suites():
        raise EnvironmentUnavailable(f"unknown environment suite '{name}'", unknown_name(suites()))
    try:
        return cast(Suite, importlib.import_module(suites()[name].adapter))
    except ModuleNotFoundError as error:
        raise EnvironmentUnavailable(
            f"the environment suite '{name}' needs the package '{error.name}', which is not installed here",
            f"install it with `pip install '{suites()[name].install}'`, or choose another suite",
        ) from error
