"""Algorithms by name: `build_algorithm(spec, info)` gives the functions that train one member."""

from collections.abc import Callable
from typing import Any

from phylon.spec.algorithms import AlgorithmSpec
from phylon.worker.algorithms import ddpg, dqn, drac, ppo, sac, td3, toy
from phylon.worker.core.types import Algorithm, EnvironmentInfo

__all__ = ["ALGORITHMS", "build_algorithm"]

ALGORITHMS: dict[str, Callable[[Any, EnvironmentInfo], Algorithm]] = {
    "td3": td3.td3,
    "sac": sac.sac,
    "ddpg": ddpg.ddpg,
    "dqn": dqn.dqn,
    "ppo": ppo.ppo,
    "drac": drac.drac,
    "surrogate_ascent": toy.surrogate_ascent,
    "triangle_climb": toy.triangle_climb,
}
"""Each factory takes the spec of its own name."""


def build_algorithm(spec: AlgorithmSpec, info: EnvironmentInfo) -> Algorithm:
    """Structure (sizes, layers) is closed over and compiled in; numbers arrive as `Hyperparams` at each call."""
    return ALGORITHMS[spec.name](spec, info)
