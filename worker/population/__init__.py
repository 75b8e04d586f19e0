"""Population methods by name: `build_method(spec)` gives the functions that turn fitness into a plan."""

from collections.abc import Callable

from phylon.spec import ExperimentSpec
from worker.population.hyperparams import sample_hyperparams
from worker.population.independent import independent
from worker.population.method import Birth, Evolution, PopulationMethod, Standing
from worker.population.pbt import pbt
from worker.population.selection import ranks

__all__ = [
    "METHODS",
    "Birth",
    "Evolution",
    "PopulationMethod",
    "Standing",
    "build_method",
    "ranks",
    "sample_hyperparams",
]

METHODS: dict[str, Callable[[ExperimentSpec], PopulationMethod]] = {
    "pbt": pbt,
    "no_op": pbt,
    "independent": independent,
    "random_search": independent,
}


def build_method(spec: ExperimentSpec) -> PopulationMethod:
    return METHODS[spec.population.method.name](spec)
