"""Population Based Bandits (Parker-Holder et al. 2020, arXiv 2002.02518): a time-varying model chooses the numbers."""

from phylon.spec import ExperimentSpec
from phylon.worker.population.method import PopulationMethod
from phylon.worker.population.pb2.family import build
from phylon.worker.population.pb2.kernels import time_varying
from phylon.worker.population.pb2.proposal import Model


def pb2(spec: ExperimentSpec) -> PopulationMethod:
    return build(spec, Model(time_varying))
