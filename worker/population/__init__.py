"""Population methods by name: `build_method(spec)` gives the functions that turn fitness into a plan."""

from collections.abc import Callable, Sequence

from phylon.spec import ExperimentSpec, tuned
from phylon.worker.population.cem_rl import cem_rl
from phylon.worker.population.dvd import dvd
from phylon.worker.population.hyperparams import sample_hyperparams
from phylon.worker.population.independent import independent
from phylon.worker.population.method import Birth, Evolution, PopulationMethod, Standing
from phylon.worker.population.mf_pbt import mf_pbt
from phylon.worker.population.pb2 import pb2, pb2_mix, pb2_mult, pb2_rand
from phylon.worker.population.pbt import pbt
from phylon.worker.population.schedule import prescribed, schedule
from phylon.worker.population.selection import ranks

__all__ = [
    "METHODS",
    "Birth",
    "Evolution",
    "PopulationMethod",
    "Standing",
    "build_method",
    "founding_values",
    "moving_names",
    "ranks",
    "sample_hyperparams",
]

METHODS: dict[str, Callable[[ExperimentSpec], PopulationMethod]] = {
    "pbt": pbt,
    "no_op": pbt,
    "mf_pbt": mf_pbt,
    "schedule": schedule,
    "pb2": pb2,
    "pb2_rand": pb2_rand,
    "pb2_mult": pb2_mult,
    "pb2_mix": pb2_mix,
    "cem_rl": cem_rl,
    "dvd": dvd,
    "independent": independent,
    "random_search": independent,
}


def founding_values(spec: ExperimentSpec) -> dict[str, Sequence[float]]:
    """What the spec prescribes for the founders, one value a member, by hyper-parameter; all else is drawn."""
    prescription = {name: [value] * spec.population.size for name, value in prescribed(spec, 0).items()}
    return {**spec.population.founders, **prescription}


def moving_names(spec: ExperimentSpec) -> list[str]:
    """The hyper-parameters that a chart has to show: those that differ between members or change in time."""
    return list(tuned(spec.algorithm) | prescribed(spec, spec.budget.env_steps))


def build_method(spec: ExperimentSpec) -> PopulationMethod:
    return METHODS[spec.population.method.name](spec)
