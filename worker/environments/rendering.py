"""Drawing without a screen."""

import contextlib
import ctypes
import logging
import os

import numpy as np

from phylon.worker.environments.host import Renderer

log = logging.getLogger(__name__)

HEADLESS = {
    "MUJOCO_GL": "egl",
    "SDL_VIDEODRIVER": "dummy",
    "SDL_AUDIODRIVER": "dummy",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}


def prepare() -> None:
    """Make graphics libraries work without a screen, unless the operator has set something else."""
    for name, value in HEADLESS.items():
        os.environ.setdefault(name, value)
    if os.environ["MUJOCO_GL"] == "egl":
        # envpool's MuJoCo takes what is loaded when it is imported, and ends the process at a picture without this.
        with contextlib.suppress(OSError):
            ctypes.CDLL("libEGL.so.1", ctypes.RTLD_GLOBAL)


def tried(renderer: Renderer, id: str) -> Renderer | None:
    """The renderer if it can draw here. Videos are an extra: a machine without graphics libraries can still train."""
    try:
        renderer.environments.reset(np.zeros(1, np.int64))
        renderer.frame()
    except Exception as error:  # each library fails in its own way
        log.warning("'%s' cannot be drawn here: %s", id, error)
        renderer.environments.close()
        return None
    return renderer
