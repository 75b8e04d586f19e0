"""The methods of the family: which model chooses the numbers, and which rule the categories."""

from phylon.spec import ExperimentSpec
from phylon.spec.methods.pb2 import PB2IndepSpec, PB2MixSpec, PB2MultSpec, PB2RandSpec
from phylon.worker.population.method import PopulationMethod
from phylon.worker.population.pb2.categories import by_bandit, drawn, fixed
from phylon.worker.population.pb2.family import build
from phylon.worker.population.pb2.kernels import time_varying, time_varying_mixed, time_varying_within
from phylon.worker.population.pb2.proposal import Model


def pb2(spec: ExperimentSpec) -> PopulationMethod:
    """PB2 (Parker-Holder et al. 2020, arXiv 2002.02518): a time-varying model chooses the numbers. No categories."""
    return build(spec, Model(time_varying), drawn(spec, keep=0.0))


def pb2_rand(spec: ExperimentSpec) -> PopulationMethod:
    """PB2-Rand: categories as PBT has them, and a model that does not look at them."""
    method = spec.population.method
    assert isinstance(method, PB2RandSpec)
    return build(spec, Model(time_varying), drawn(spec, method.keep_category))


def pb2_fixed(spec: ExperimentSpec) -> PopulationMethod:
    """A control: categories stay with their slots, so that only numbers and weights are selected."""
    return build(spec, Model(time_varying), fixed())


def pb2_indep(spec: ExperimentSpec) -> PopulationMethod:
    """`exp3_indep` of the code of PB2-Mix: categories by bandit, and a model that does not look at them."""
    method = spec.population.method
    assert isinstance(method, PB2IndepSpec)
    return build(spec, Model(time_varying), by_bandit(spec, method.bandit))


def pb2_mult(spec: ExperimentSpec) -> PopulationMethod:
    """PB2-Mult (Parker-Holder et al. 2021, arXiv 2106.15883): categories by bandit, then a model of that category.

    The models of all categories share their fitted parameters: a handful of observations would not determine them.
    A category that was never observed is tried with the parent's numbers. (The authors' code gives the parent's
    category back instead, so that one which no founder had could never be tried.)
    """
    method = spec.population.method
    assert isinstance(method, PB2MultSpec)
    return build(spec, Model(time_varying_within, is_within_category=True), by_bandit(spec, method.bandit))


def pb2_mix(spec: ExperimentSpec) -> PopulationMethod:
    """PB2-Mix (Parker-Holder et al. 2021, arXiv 2106.15883): categories by bandit, one model of all.

    What is learned under one category informs the others as far as the fitted mix allows.
    """
    method = spec.population.method
    assert isinstance(method, PB2MixSpec)
    return build(spec, Model(time_varying_mixed), by_bandit(spec, method.bandit))
