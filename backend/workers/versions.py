"""Workers with other versions than the service: they may train differently, or not understand what they are sent."""

import functools
import importlib.metadata
import platform
from collections.abc import Mapping


def find_differing(versions: Mapping[str, str]) -> dict[str, str]:
    """The service's version of each package that both have in different versions."""
    own = {package: _own_version(package) for package in versions}
    return {package: mine for package, mine in own.items() if mine is not None and mine != versions[package]}


@functools.cache
def _own_version(package: str) -> str | None:
    if package == "python":
        return platform.python_version()
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
