"""Functions of the user's own, by entry points that the worker's machine has installed.

A spec can only name them. They are refused unless the operator of the worker set `PHYLON_ALLOW_CUSTOM=1`, because a
name in a spec would otherwise run code that its operator never chose to offer.
"""

import os
from collections.abc import Callable
from typing import Any

from phylon.worker.core.errors import EngineError

ALLOW = "PHYLON_ALLOW_CUSTOM"


def load_entry_point(group: str, name: str, installed: Callable[..., Any]) -> Callable[..., Any]:
    """`installed`: `importlib.metadata.entry_points`, or what answers like it."""
    if os.environ.get(ALLOW) != "1":
        raise EngineError(
            f"the spec asks for the custom function '{name}', which this worker does not allow",
            f"start the worker with {ALLOW}=1 if you trust the packages that are installed there",
        )
    found = {point.name: point for point in installed(group=group)}
    if name not in found:
        known = ", ".join(sorted(found)) or "none"
        raise EngineError(
            f"no entry point '{name}' in the group {group} is installed on this worker (there are: {known})",
            "install the package that declares it into the worker's environment, or correct the name",
        )
    return found[name].load()
