"""Algorithms by name: `build_algorithm(spec, info)` gives the functions that train one member."""

from pkgutil import resolve_name

from phylon.spec.algorithms import AlgorithmSpec
from phylon.spec.registered import describe_algorithm
from phylon.worker.core.types import Algorithm, EnvironmentInfo

__all__ = ["build_algorithm"]


def build_algorithm(spec: AlgorithmSpec, info: EnvironmentInfo) -> Algorithm:
    """Structure (sizes, layers) is closed over and compiled in; numbers arrive as `Hyperparams` at each call."""
    description = describe_algorithm(spec)
    algorithm: Algorithm = resolve_name(description.engine)(spec, info)
    return algorithm._replace(learns_from=description.experience, layout=description.state(spec))
