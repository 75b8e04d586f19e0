"""PB2-Rand: categories at random, numbers by a model that does not look at categories. The baseline of the family."""

from phylon.spec import ExperimentSpec
from worker.population.method import PopulationMethod
from worker.population.pb2.family import build
from worker.population.pb2.kernels import time_varying
from worker.population.pb2.proposal import Model


def pb2_rand(spec: ExperimentSpec) -> PopulationMethod:
    return build(spec, Model(time_varying))
