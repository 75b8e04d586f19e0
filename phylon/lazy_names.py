"""Names of a package that are loaded when first used: for packages whose modules plug-ins import."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def load_lazily(package: str, modules: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """A package's `__getattr__`. `modules`: the names that each of its modules provides."""
    homes = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get
