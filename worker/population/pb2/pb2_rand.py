"""PB2-Rand: categories at random, numbers by a model that does not look at categories. The baseline of the family."""

from phylon.spec import ExperimentSpec
from phylon.worker.population.method import PopulationMethod
from phylon.worker.population.pb2.family import build
from phylon.worker.population.pb2.kernels import time_varying
from phylon.worker.population.pb2.proposal import Model


def pb2_rand(spec: ExperimentSpec) -> PopulationMethod:
    return build(spec, Model(time_varying))
