"""Phylon: population-based reinforcement learning. What a user imports.

    from phylon import Client, parse_yaml

Names are loaded when first used, so that a worker or a script pays only for what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phylon.client import Client
    from phylon.errors import ApiError, NotFound, PhylonError, PhylonUnreachable
    from phylon.policy import Policy, PolicyInvalid
    from phylon.presets import list_presets, load_preset
    from phylon.spec import ExperimentSpec, SpecInvalid, parse_spec, parse_yaml, spec_to_yaml

__all__ = [
    "ApiError",
    "Client",
    "ExperimentSpec",
    "NotFound",
    "PhylonError",
    "PhylonUnreachable",
    "Policy",
    "PolicyInvalid",
    "SpecInvalid",
    "list_presets",
    "load_preset",
    "parse_spec",
    "parse_yaml",
    "spec_to_yaml",
]

_MODULES = {
    "phylon.client": ("Client",),
    "phylon.errors": ("ApiError", "NotFound", "PhylonError", "PhylonUnreachable"),
    "phylon.policy": ("Policy", "PolicyInvalid"),
    "phylon.presets": ("list_presets", "load_preset"),
    "phylon.spec": ("ExperimentSpec", "SpecInvalid", "parse_spec", "parse_yaml", "spec_to_yaml"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'phylon' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
