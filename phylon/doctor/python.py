"""Python itself and the packages that Phylon needs."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, metadata, requires, version

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from phylon import registry
from phylon.doctor.finding import Finding, Machine, error, is_installed, ok, warning

_SIGNS = {"server": "fastapi", "worker": "jax"}
"""Who has this module wanted the whole extra."""


def check_python(machine: Machine) -> list[Finding]:
    del machine
    wanted = SpecifierSet(metadata("phylon")["Requires-Python"])
    found = platform.python_version()
    if found not in wanted:
        return [error("python", f"Python {found}; Phylon needs {wanted}", "install Phylon with another Python")]
    return [ok("python", f"Python {found} in {sys.prefix}")]


def check_packages(machine: Machine) -> list[Finding]:
    del machine
    extras = [extra for extra, module in _SIGNS.items() if is_installed(module)]
    wanted = [Requirement(text) for text in requires("phylon") or []]
    findings = [finding for requirement in wanted if _applies(requirement, extras) for finding in _compare(requirement)]
    parts = " and ".join(extras) or "the client alone"
    return findings or [ok("packages", f"Phylon {version('phylon')} with {parts}; all versions are as required")]


def _applies(requirement: Requirement, extras: list[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ["", *extras])


def _compare(requirement: Requirement) -> list[Finding]:
    wanted = f"{requirement.name}{requirement.specifier}"
    remedy = f"run: pip install '{wanted}'"
    try:
        found = version(requirement.name)
    except PackageNotFoundError:
        return [error("packages", f"{requirement.name} is not installed", remedy)]
    if not requirement.specifier.contains(found, prereleases=True):
        return [error("packages", f"{requirement.name} {found}; Phylon needs {requirement.specifier}", remedy)]
    return []


def check_plugins(machine: Machine) -> list[Finding]:
    del machine
    return [
        warning("plug-ins", problem.describe(), "upgrade or uninstall that package") for problem in registry.broken()
    ]
