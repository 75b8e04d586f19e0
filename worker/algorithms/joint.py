"""Algorithms of populations that learn as one, by their method: `build_joint_algorithm(spec, info)`."""

from pkgutil import resolve_name
from typing import Any

from phylon.spec import ExperimentSpec
from phylon.spec.algorithms.n_step import n_step_of
from phylon.spec.methods.dvd import DvDSpec
from phylon.spec.registered import describe_algorithm, describe_method
from phylon.worker.algorithms.diverse_policies import diverse_policies
from phylon.worker.algorithms.n_step import jointly_with_n_step_returns
from phylon.worker.core.types import EnvironmentInfo, JointAlgorithm


def build_joint_algorithm(spec: ExperimentSpec, info: EnvironmentInfo) -> JointAlgorithm | None:
    """None where every member learns alone."""
    joint = describe_method(spec.population.method).joint
    return None if joint is None else resolve_name(joint.engine)(spec, info)


def learn_apart(spec: ExperimentSpec, info: EnvironmentInfo) -> JointAlgorithm:
    """Each learner makes its own policy step."""
    return _share_critic(spec, info)


def learn_diversely(spec: ExperimentSpec, info: EnvironmentInfo) -> JointAlgorithm:
    """All policies make one step on a loss that keeps them apart."""
    method = spec.population.method
    assert isinstance(method, DvDSpec)
    return _share_critic(spec, info, diverse_policies(method))


def _share_critic(spec: ExperimentSpec, info: EnvironmentInfo, *policies: Any) -> JointAlgorithm:
    shared, joint = describe_algorithm(spec.algorithm).shared_critic, describe_method(spec.population.method).joint
    assert shared is not None and joint is not None
    size = spec.population.size
    learners = joint.learners(spec.population.method, size)
    algorithm: JointAlgorithm = resolve_name(shared.engine)(spec.algorithm, info, size, learners, *policies)
    return jointly_with_n_step_returns(algorithm) if n_step_of(spec.algorithm) > 1 else algorithm
