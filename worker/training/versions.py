"""What a run was made with."""

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("phylon", "jax", "jaxlib", "flax", "optax", "numpy", "gymnasium", "mujoco")


def find_versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
