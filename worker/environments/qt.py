"""Procgen is linked to Qt 5, which a wheel can bring where the system does not."""

import contextlib
import ctypes
import functools
import importlib
import importlib.util
from pathlib import Path

import envpool.procgen

LIBRARIES = ("libQt5Core.so.5", "libQt5Gui.so.5")


@functools.cache
def prepare_procgen() -> None:
    """Load Qt from the wheel PyQt5-Qt5, if it is there and the system has what it needs.

    Nothing is raised: Procgen itself says what it misses when it is used.
    """
    if "ProcgenEnvSpec" in vars(envpool.procgen):
        return
    package = importlib.util.find_spec("PyQt5")
    for folder in (package and package.submodule_search_locations) or ():
        with contextlib.suppress(OSError):
            for library in LIBRARIES:
                ctypes.CDLL(str(Path(folder) / "Qt5" / "lib" / library), mode=ctypes.RTLD_GLOBAL)
    importlib.reload(envpool.procgen)  # it has looked for Qt already, when envpool was imported
