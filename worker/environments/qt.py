"""Procgen is linked to Qt 5, which a wheel can bring where the system does not."""

import contextlib
import ctypes
import importlib.util
from pathlib import Path

LIBRARIES = ("libQt5Core.so.5", "libQt5Gui.so.5")


def load_qt() -> None:
    """Load Qt from the wheel PyQt5-Qt5, if it is there and the system has what it needs.

    Nothing is raised: only Procgen needs it, and says so itself. It looks once, when envpool is first imported.
    """
    package = importlib.util.find_spec("PyQt5")
    for folder in (package and package.submodule_search_locations) or ():
        with contextlib.suppress(OSError):
            for library in LIBRARIES:
                ctypes.CDLL(str(Path(folder) / "Qt5" / "lib" / library), mode=ctypes.RTLD_GLOBAL)
