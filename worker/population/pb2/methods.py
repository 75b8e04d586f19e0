"""The methods of the family: which model chooses the numbers, and whether a bandit draws the categories."""

from phylon.spec import ExperimentSpec
from phylon.spec.methods.pb2 import PB2MixSpec, PB2MultSpec
from phylon.worker.population.method import PopulationMethod
from phylon.worker.population.pb2.family import build
from phylon.worker.population.pb2.kernels import time_varying, time_varying_mixed, time_varying_within
from phylon.worker.population.pb2.proposal import Model


def pb2(spec: ExperimentSpec) -> PopulationMethod:
    """PB2 (Parker-Holder et al. 2020, arXiv 2002.02518): a time-varying model chooses the numbers.

    Where there are categories this is PB2-Rand: they are drawn uniformly, and the model does not look at them.
    """
    return build(spec, Model(time_varying))


def pb2_mult(spec: ExperimentSpec) -> PopulationMethod:
    """PB2-Mult (Parker-Holder et al. 2021, arXiv 2106.15883): categories by bandit, then a model of that category.

    The models of all categories share their fitted parameters: a handful of observations would not determine them.
    A category that was never observed is tried with the parent's numbers. (The authors' code gives the parent's
    category back instead, so that one which no founder had could never be tried.)
    """
    method = spec.population.method
    assert isinstance(method, PB2MultSpec)
    return build(spec, Model(time_varying_within, is_within_category=True), method.bandit)


def pb2_mix(spec: ExperimentSpec) -> PopulationMethod:
    """PB2-Mix (Parker-Holder et al. 2021, arXiv 2106.15883): categories by bandit, one model of all.

    What is learned under one category informs the others as far as the fitted mix allows.
    """
    method = spec.population.method
    assert isinstance(method, PB2MixSpec)
    return build(spec, Model(time_varying_mixed), method.bandit)
