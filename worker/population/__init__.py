"""Population methods by name: `build_method(spec)` gives the functions that turn fitness into a plan."""

from collections.abc import Callable

import jax.numpy as jnp

from phylon.events import Operator
from phylon.spec import ExperimentSpec
from phylon.spec.population import MethodSpec, SelectingSpec
from worker.core.types import Array
from worker.population import pb2, pbt
from worker.population.hyperparams import sample_hyperparams
from worker.population.independent import independent
from worker.population.method import Evolution, PopulationMethod

__all__ = [
    "METHODS",
    "Evolution",
    "PopulationMethod",
    "build_method",
    "is_due",
    "operator_of",
    "ranks",
    "sample_hyperparams",
]

METHODS: dict[str, Callable[[ExperimentSpec], PopulationMethod]] = {
    "pbt": pbt.pbt,
    "pb2": pb2.pb2,
    "pb2_rand": pb2.pb2_rand,
    "pb2_mult": pb2.pb2_mult,
    "pb2_mix": pb2.pb2_mix,
    "independent": independent,
}


def build_method(spec: ExperimentSpec) -> PopulationMethod:
    return METHODS[spec.population.method.name](spec)


def is_due(method: MethodSpec, step: int) -> bool:
    """Whether the population evolves at this step."""
    return isinstance(method, SelectingSpec) and step % method.interval == 0 and step >= method.burn_in


def operator_of(changes: dict[str, str]) -> Operator:
    """The one word for a birth, from what was done to each of its hyper-parameters."""
    words = set(changes.values())
    if words == {"resample"}:
        return "resample"
    return "copy" if words <= {"inherit"} else "perturb"


def ranks(fitness: Array) -> Array:
    """The rank of each slot, 0 the best, int32 [P]; the very order by which methods select."""
    return jnp.argsort(pbt.best_first(fitness)).astype(jnp.int32)
