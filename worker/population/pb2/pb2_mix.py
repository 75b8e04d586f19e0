"""PB2-Mix (Parker-Holder et al. 2021, arXiv 2106.15883): categories by bandit, one model of all.

What is learned under one category informs the others as far as the fitted mix allows.
"""

from phylon.spec import ExperimentSpec
from phylon.spec.pb2 import PB2MixSpec
from phylon.worker.population.method import PopulationMethod
from phylon.worker.population.pb2.family import build
from phylon.worker.population.pb2.kernels import time_varying_mixed
from phylon.worker.population.pb2.proposal import Model


def pb2_mix(spec: ExperimentSpec) -> PopulationMethod:
    method = spec.population.method
    assert isinstance(method, PB2MixSpec)
    return build(spec, Model(time_varying_mixed), method.bandit)
