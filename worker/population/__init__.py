"""Population methods by name: `build_method(spec)` gives the functions that turn fitness into a plan."""

from collections.abc import Sequence
from pkgutil import resolve_name

from phylon.spec import ExperimentSpec, tuned
from phylon.spec.registered import describe_method
from phylon.worker.population.hyperparams import sample_hyperparams
from phylon.worker.population.method import AS_IT_IS, Birth, Evolution, PopulationMethod, PopulationScores
from phylon.worker.population.schedule import prescribe
from phylon.worker.population.selection import ranks

__all__ = [
    "AS_IT_IS",
    "Birth",
    "Evolution",
    "PopulationMethod",
    "PopulationScores",
    "build_method",
    "founding_values",
    "moving_names",
    "ranks",
    "sample_hyperparams",
]


def founding_values(spec: ExperimentSpec) -> dict[str, Sequence[float]]:
    """What the spec prescribes for the founders, one value per member, by hyper-parameter; all else is drawn."""
    prescription = {name: [value] * spec.population.size for name, value in prescribe(spec, 0).items()}
    return {**spec.population.founders, **prescription}


def moving_names(spec: ExperimentSpec) -> list[str]:
    """The hyper-parameters that a chart has to show: those that differ between members or change in time."""
    return list(tuned(spec.algorithm) | prescribe(spec, spec.budget.env_steps))


def build_method(spec: ExperimentSpec) -> PopulationMethod:
    return resolve_name(describe_method(spec.population.method).engine)(spec)
