"""Which algorithms, population methods, environment suites and wrappers are installed: ours, and those of plug-ins.

All are found by entry points, in the groups `phylon.algorithms`, `phylon.methods`, `phylon.suites`, `phylon.wrappers`.
"""

from functools import cache

from phylon.registry.descriptions import AlgorithmDescription, MethodDescription, SuiteDescription, WrapperDescription
from phylon.registry.entry_points import Broken, Registry, load_registry

__all__ = ["Broken", "algorithms", "broken", "methods", "suites", "unknown_name", "wrappers"]


@cache
def algorithms() -> Registry[AlgorithmDescription]:
    return load_registry("phylon.algorithms", AlgorithmDescription)


@cache
def methods() -> Registry[MethodDescription]:
    return load_registry("phylon.methods", MethodDescription)


@cache
def suites() -> Registry[SuiteDescription]:
    return load_registry("phylon.suites", SuiteDescription)


@cache
def wrappers() -> Registry[WrapperDescription]:
    return load_registry("phylon.wrappers", WrapperDescription)


def broken() -> list[Broken]:
    """Plug-ins that could not be loaded."""
    return [problem for registry in (algorithms(), methods(), suites(), wrappers()) for problem in registry.broken]


def unknown_name(
    registry: Registry[AlgorithmDescription]
    | Registry[MethodDescription]
    | Registry[SuiteDescription]
    | Registry[WrapperDescription],
) -> str:
    """The remedy for a name that the registry does not have."""
    remedy = f"use one of {', '.join(registry)}, or install the plug-in package that has it"
    return "; ".join([remedy, *(f"{problem.describe()}" for problem in registry.broken)])
