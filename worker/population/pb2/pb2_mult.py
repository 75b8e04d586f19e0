"""PB2-Mult (Parker-Holder et al. 2021, arXiv 2106.15883): categories by bandit, then a model of that category alone.

The models of all categories share their fitted parameters: a handful of observations would not tell them.
A category that was never observed is tried with the parent's numbers. (The authors' code gives the parent's category
back instead, so that one which no founder had could never be tried.)
"""

from phylon.spec import ExperimentSpec
from phylon.spec.pb2 import PB2MultSpec
from phylon.worker.population.method import PopulationMethod
from phylon.worker.population.pb2.family import build
from phylon.worker.population.pb2.kernels import time_varying_within
from phylon.worker.population.pb2.proposal import Model


def pb2_mult(spec: ExperimentSpec) -> PopulationMethod:
    method = spec.population.method
    assert isinstance(method, PB2MultSpec)
    return build(spec, Model(time_varying_within, is_within_category=True), method.bandit)
