"""Which environments the modules have that this worker's operator allowed: asked of a process of its own, which may
import them."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence

from phylon.contract.catalogue import Environment
from phylon.spec.environment import MODULE

ENGINE = "phylon.worker.environments.own"
ALLOWED = "PHYLON_ALLOWED_MODULES"
PATIENCE_SECONDS = 300


class ModuleUnusable(RuntimeError):
    """The operator allowed what cannot be imported."""


def allow(modules: Sequence[str]) -> list[Environment]:
    """Jobs of this worker may name these modules, and those that the variable names; what they have is returned."""
    named = [name.strip() for name in os.environ.get(ALLOWED, "").split(",")]
    allowed = sorted({*modules, *filter(None, named)})
    for module in allowed:
        if not re.fullmatch(MODULE, module):
            raise ModuleUnusable(f"--allow {module!r} is no name of a module; write it as in `import my_package`")
    os.environ[ALLOWED] = ",".join(allowed)
    if not allowed:
        return []
    command = [sys.executable, "-m", ENGINE, "list", *allowed]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    if done.returncode:
        raise ModuleUnusable(f"asking for the environments of {', '.join(allowed)} failed:\n{done.stderr[-2000:]}")
    answer = json.loads(done.stdout.splitlines()[-1])
    for module, problem in answer["problems"].items():
        raise ModuleUnusable(
            f"--allow {module}: it cannot be imported here ({problem}); install its package, or start the worker in "
            "the folder that holds it"
        )
    return [Environment.model_validate(row) for row in answer["environments"]]
