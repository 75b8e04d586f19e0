"""Environment suites by name. An adapter is imported when it is first asked for, so that its library stays optional."""

import importlib
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol, cast

from phylon.catalogue import EnvironmentEntry
from phylon.policy.network import NativeActions
from phylon.registry import suites, unknown_name
from phylon.spec.entries import entry_of, plain_entry
from phylon.spec.environment import EnvironmentSpec, ProcgenSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import rendering
from phylon.worker.environments.host import HostEnvironments, Purpose, Renderer, StepResult
from phylon.worker.environments.spaces import info_of
from phylon.worker.environments.wrappers import wrap

NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})

__all__ = [
    "HostEnvironments",
    "Purpose",
    "Renderer",
    "StepResult",
    "describe",
    "describe_environment",
    "find_entry",
    "find_native_actions",
    "has_unseen_levels",
    "make_environments",
    "make_renderer",
    "suite_entries",
    "suite_ids",
]


class Suite(Protocol):
    """What an adapter's module offers. It may also have `native_actions(id) -> NativeActions`: the environment's own
    actions, which exported policies then give."""

    def ids(self) -> list[str]:
        """All that the library knows by name, whether or not they can be made here."""
        ...

    def find_entry(self, id: str, *options: Mapping[str, Any]) -> EnvironmentEntry:
        """Raises `EnvironmentUnavailable` for what cannot be made here. A suite whose description says `has_options`
        takes them as a second argument, here and in `native_actions`."""
        ...

    def make(self, environment: EnvironmentSpec, count: int, purpose: Purpose) -> HostEnvironments: ...

    def make_renderer(self, environment: EnvironmentSpec) -> Renderer | None:
        """None for what has no looks."""
        ...


def make_environments(environment: EnvironmentSpec, count: int, purpose: Purpose = "train") -> HostEnvironments:
    """A pool of `count` environments with their wrappers, to be reset before its first step."""
    return wrap(environment, "pool", _suite(environment.suite).make(environment, count, purpose), purpose)


def make_renderer(environment: EnvironmentSpec) -> Renderer | None:
    """An environment to look at, without a screen, as evaluation sees it; None where there is nothing to see.

    Best in a process of its own: what some libraries lack for drawing makes them end theirs.
    """
    rendering.prepare()  # before the suite is imported
    renderer = _suite(environment.suite).make_renderer(environment)
    if renderer is None:
        return None
    return renderer._replace(environments=wrap(environment, "pool", renderer.environments, "evaluate"))


def describe_environment(environment: EnvironmentSpec) -> EnvironmentInfo:
    """What members see and do, wrappers included; refuses an environment that is not as its spec says."""
    real, said = find_entry(environment.suite, environment.id, environment.options), plain_entry(environment)
    if said is not None and (real.observation, real.action) != (said.observation, said.action):
        raise EnvironmentUnavailable(
            f"'{environment.id}' shows {real.observation.describe()} and takes {real.action.describe()}, but the spec "
            f"was made for {said.observation.describe()} and {said.action.describe()}",
            f"write environment.spaces as `phylon check-environment {environment.id}` prints it, with the same options",
        )
    wrapped = entry_of(environment)
    return info_of(real if wrapped is None else wrapped)


def describe(suite: str, id: str) -> EnvironmentInfo:
    return info_of(find_entry(suite, id))


def has_unseen_levels(environment: EnvironmentSpec) -> bool:
    """Whether members train on a part of the levels, so that there are others to test them on."""
    family = find_entry(environment.suite, environment.id, environment.options).family
    return suites()[environment.suite].family(family).has_levels and (environment.procgen or ProcgenSpec()).levels > 0


def find_entry(suite: str, id: str, options: Mapping[str, Any] = NO_OPTIONS) -> EnvironmentEntry:
    """Without wrappers."""
    return _suite(suite).find_entry(id, *_given(options))


def find_native_actions(environment: EnvironmentSpec) -> NativeActions | None:
    """The environment's own actions; None where the adapter does not say."""
    say = getattr(_suite(environment.suite), "native_actions", None)
    return say(environment.id, *_given(environment.options)) if say else None


def _given(options: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Only adapters of suites with options know of them."""
    return (options,) if options else ()


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
