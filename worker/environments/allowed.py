"""Which modules a spec may name here.

A worker's operator allows them (`phylon worker --allow my_package`); in the foreground the CLI allows the module that
its user named. Nothing else is ever imported because of a spec.
"""

import os

from phylon.spec.environment import module_of
from phylon.worker.core.errors import EnvironmentUnavailable

VARIABLE = "PHYLON_ALLOWED_MODULES"
"""Names separated by commas; a package allows its submodules."""


def require_allowed(id: str) -> None:
    """Of an environment; those without a module are registered already."""
    if ":" not in id:
        return
    module = module_of(id)
    if module is None or not is_allowed(module):
        raise EnvironmentUnavailable(
            f"the environment id '{id}' names a module to import, which nobody allowed here",
            f"start the worker with `phylon worker --allow {module or 'MODULE'}`, or use an id of the catalogue",
        )


def is_allowed(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in allowed_modules())


def allowed_modules() -> list[str]:
    return [name.strip() for name in os.environ.get(VARIABLE, "").split(",") if name.strip()]
